#include "server/mechanism/grid_rows.h"

#include <array>
#include <atomic>
#include <utility>

namespace topicwall::mechanism {
namespace {

constexpr std::size_t kMostUnrolled = 32;
constexpr std::size_t kColumnsAhead = 16;

// `sum >> 32` is what the upper half grows by: a carry and the upper half of value, so all ones,
// -1, where a small negative value was added and nothing carried. Relaxed will do: only sums are
// made of it, and the threads are joined before anybody reads one.
inline void AddEntry(uint32_t* low, uint32_t* high, uint32_t row, uint64_t value) {
  // Modulo 2^64, whatever the sign of value: high·2^32 + sum is then (high·2^32 + low) + value.
  const uint64_t sum = low[row] + value;
  low[row] = static_cast<uint32_t>(sum);
  if (sum >> 32 == 0) return;
  std::atomic_ref<uint32_t>(high[row]).fetch_add(static_cast<uint32_t>(sum >> 32),
                                                 std::memory_order_relaxed);
}

// Rows that are in as many cache lines, or nearly, as all of a unit's rows are: a line's length
// apart, and the last one.
class Lines {
 public:
  explicit Lines(absl::Span<const uint32_t> rows) {
    constexpr uint32_t kLine = 64 / sizeof(uint32_t);
    for (const uint32_t row : rows) {
      const bool is_far = size_ == 0 || row >= places_[size_ - 1] + kLine;
      if (is_far && size_ + 1 < places_.size()) places_[size_++] = row;
    }
    if (!rows.empty()) places_[size_++] = rows.back();
  }
  // GCC takes a function that does nothing else for one without effect, unless it is inlined first.
  __attribute__((always_inline)) void Fetch(const uint32_t* column) const {
    for (std::size_t i = 0; i < size_; ++i) __builtin_prefetch(column + places_[i], 1);
  }

 private:
  std::array<uint32_t, 32> places_;
  std::size_t size_ = 0;
};

// kRows > 0 is the number of the unit's rows, 0 any number. The columns are asked for well before
// they are needed: the grid is larger than the nearer caches, and a processor by itself looks no
// more than a few columns ahead.
// Nobody else writes to `low` meanwhile: the adder holds the lock of this copy (partial_sum.cc).
template <std::size_t kRows>
void AddRowsOf(const GridRows& grid, const UnitRows& unit) {
  const std::size_t num_rows = kRows == 0 ? unit.rows.size() : kRows;
  const std::size_t num_columns = unit.columns.size();
  const uint32_t* columns = unit.columns.data();
  const uint32_t* rows = unit.rows.data();
  const uint64_t* values = unit.values;
  const Lines lines(unit.rows);
  for (std::size_t i = 0; i < kColumnsAhead && i < num_columns; ++i) {
    lines.Fetch(grid.low + columns[i] * grid.num_rows);
  }
  for (std::size_t i = 0; i < num_columns; ++i) {
    if (i + kColumnsAhead < num_columns) {
      lines.Fetch(grid.low + columns[i + kColumnsAhead] * grid.num_rows);
    }
    uint32_t* low = grid.low + columns[i] * grid.num_rows;
    uint32_t* high = grid.high + columns[i] * grid.num_rows;
    if constexpr (kRows == 0) {
      for (std::size_t a = 0; a < num_rows; ++a) AddEntry(low, high, rows[a], values[a]);
    } else {
#pragma GCC unroll 32
      for (std::size_t a = 0; a < kRows; ++a) AddEntry(low, high, rows[a], values[a]);
    }
    values += num_rows;
  }
}

using Add = void (*)(const GridRows&, const UnitRows&);

template <std::size_t... kRows>
constexpr std::array<Add, sizeof...(kRows)> Table(std::index_sequence<kRows...> /*rows*/) {
  return {AddRowsOf<kRows>...};
}

}  // namespace

void AddRows(const GridRows& grid, const UnitRows& unit) {
  static constexpr auto kTable = Table(std::make_index_sequence<kMostUnrolled + 1>());
  const std::size_t size = unit.rows.size();
  kTable[size <= kMostUnrolled ? size : 0](grid, unit);
}

}  // namespace topicwall::mechanism
