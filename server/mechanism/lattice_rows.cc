#include "server/mechanism/lattice_rows.h"

#include <array>
#include <atomic>
#include <utility>

namespace topicwall::mechanism {
namespace {

constexpr std::size_t kMostUnrolled = 16;

inline void AddEntry(uint32_t* low, uint32_t* high, uint32_t row, uint64_t value) {
  // Modulo 2^64, whatever the sign of value: high·2^32 + sum is then (high·2^32 + low) + value.
  const uint64_t sum = low[row] + value;
  low[row] = static_cast<uint32_t>(sum);
  if (sum >> 32 == 0) return;
  std::atomic_ref<uint32_t>(high[row]).fetch_add(static_cast<uint32_t>(sum >> 32),
                                                 std::memory_order_relaxed);
}

// kRows > 0 is the number of the unit's rows, 0 any number.
template <std::size_t kRows>
void AddRowsOf(const LatticeRows& lattice, const UnitRows& unit) {
  const std::size_t num_rows = kRows == 0 ? unit.rows.size() : kRows;
  const uint32_t* rows = unit.rows.data();
  const uint64_t* values = unit.values;
  for (const uint32_t column : unit.columns) {
    uint32_t* low = lattice.low + column * lattice.num_rows;
    uint32_t* high = lattice.high + column * lattice.num_rows;
    if constexpr (kRows == 0) {
      for (std::size_t a = 0; a < num_rows; ++a) AddEntry(low, high, rows[a], values[a]);
    } else {
#pragma GCC unroll 16
      for (std::size_t a = 0; a < kRows; ++a) AddEntry(low, high, rows[a], values[a]);
    }
    values += num_rows;
  }
}

using Add = void (*)(const LatticeRows&, const UnitRows&);

template <std::size_t... kRows>
constexpr std::array<Add, sizeof...(kRows)> Table(std::index_sequence<kRows...> /*rows*/) {
  return {AddRowsOf<kRows>...};
}

}  // namespace

void AddRows(const LatticeRows& lattice, const UnitRows& unit) {
  static constexpr auto kTable = Table(std::make_index_sequence<kMostUnrolled + 1>());
  const std::size_t size = unit.rows.size();
  kTable[size <= kMostUnrolled ? size : 0](lattice, unit);
}

}  // namespace topicwall::mechanism
