// Adds the integers of a clipped unit to their places in the grid.
//
//   GridRows grid = {.low = low.data(), .high = high.data(), .num_rows = 50};
//   AddRows(grid, {.columns = columns, .rows = rows, .values = q.data()});
//
// The grid is D unsigned 64-bit integers, column by column, whose lower and upper 32 bits are
// kept in two arrays (release_memory.h). Entry (columns[j], rows[a]) of the statistic grows by
// values[j·rows.size() + a], modulo 2^64: exactly, whatever the order of calls.
//
// Values are in two's complement: a negative one takes away. Most are not negative and their sums
// seldom reach the upper half; a negative one often does.
// Preconditions: columns below P, rows below D/P and distinct, |values| below 2^37.
// Privacy: PRIVATE. Threads: nobody else may touch these columns of `low` meanwhile; those of
// `high` are added to atomically.
// Cost: cycles an entry, on an AMD EPYC: 2 if its column is in the nearest cache, otherwise 4 to 5,
// of which half is memory: a column's cache lines come and go for a few entries each. Most units
// have few rows, the same in every column: for up to 32 of them there is a loop without a branch
// for each number, and columns are asked for sixteen ahead, which together take a third off long
// documents. Tried without gain: asking for all columns before the clip; four columns in step;
// whole lines of a column at once with AVX-512 (the memory is the same, and the spread costs more
// than it saves). Left: skipping entries that round to 0, half of those of trained topics, by
// compacting them with AVX-512 took another fifth off, and nothing where topics have noise.
#ifndef TOPICWALL_SERVER_MECHANISM_GRID_ROWS_H_
#define TOPICWALL_SERVER_MECHANISM_GRID_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace topicwall::mechanism {

struct GridRows {
  uint32_t* low;
  uint32_t* high;
  std::size_t num_rows;  // D/P: the length of a column
};

struct UnitRows {
  absl::Span<const uint32_t> columns;
  absl::Span<const uint32_t> rows;
  const uint64_t* values;  // columns × rows
};

void AddRows(const GridRows& grid, const UnitRows& unit);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_GRID_ROWS_H_
