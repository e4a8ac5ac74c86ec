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
  // GCC takes a function that does nothing else for one without effect, unless it is inlined first.
  const auto fetch = [&](std::size_t i) __attribute__((always_inline)) {
    const uint32_t* column = grid.low + columns[i] * grid.num_rows;
#pragma GCC unroll 32
    for (std::size_t a = 0; a < num_rows; ++a) __builtin_prefetch(column + rows[a], 1);
  };
  for (std::size_t i = 0; i < kColumnsAhead && i < num_columns; ++i) fetch(i);
  for (std::size_t i = 0; i < num_columns; ++i) {
    if (i + kColumnsAhead < num_columns) fetch(i + kColumnsAhead);
    uint32_t* low = grid.low + columns[i] * grid.num_rows;
    uint32_t* high = grid.high + columns[i] * grid.num_rows;
#pragma GCC unroll 32
    for (std::size_t a = 0; a < num_rows; ++a) AddEntry(low, high, rows[a], values[a]);
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
