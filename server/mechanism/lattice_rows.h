// Adds the integers of a clipped unit to their places in the lattice.
//
//   LatticeRows lattice = {.low = low.data(), .high = high.data(), .num_rows = 50};
//   AddRows(lattice, {.columns = columns, .rows = rows, .values = q.data()});
//
// The lattice is D unsigned 64-bit integers, column by column, whose lower and upper 32 bits are
// kept in two arrays (release_memory.h). Entry (columns[j], rows[a]) of the statistic grows by
// values[j·rows.size() + a], modulo 2^64: exactly, whatever the order of calls.
//
// Values are in two's complement: a negative one takes away. Most are not negative and their sums
// seldom reach the upper half; a negative one often does.
// Preconditions: columns below P, rows below D/P and distinct.
// Privacy: PRIVATE. Threads: nobody else may touch these columns of `low` meanwhile; those of
// `high` are added to atomically. Cost: some 1 ns an entry if its column is in the cache. Most
// units have few rows, the same in every column: for up to 16 of them there is a loop without a
// branch for each number, which is twice as fast as one loop for all.
#ifndef TOPICWALL_SERVER_MECHANISM_LATTICE_ROWS_H_
#define TOPICWALL_SERVER_MECHANISM_LATTICE_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace topicwall::mechanism {

struct LatticeRows {
  uint32_t* low;
  uint32_t* high;
  std::size_t num_rows;  // D/P: the length of a column
};

struct UnitRows {
  absl::Span<const uint32_t> columns;
  absl::Span<const uint32_t> rows;
  const uint64_t* values;  // columns × rows
};

void AddRows(const LatticeRows& lattice, const UnitRows& unit);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_LATTICE_ROWS_H_
