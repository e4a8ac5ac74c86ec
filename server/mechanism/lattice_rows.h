// Adds the integers of a clipped unit to their places in the lattice.
//
//   LatticeRows lattice = {.low = low.data(), .high = high.data(), .num_topics = 50};
//   AddRows(lattice, {.terms = terms, .topics = topics, .values = q.data()});
//
// The lattice is V×K unsigned 64-bit integers, row = term, whose lower and upper 32 bits are kept
// in two arrays (release_memory.h). Entry (terms[i], topics[a]) grows by values[i·topics.size() +
// a], modulo 2^64: exactly, whatever the order of calls.
//
// Preconditions: terms below V, topics below K and distinct, values below 2^37 (unit_clipper.h).
// Privacy: PRIVATE. Threads: nobody else may touch these rows of `low` meanwhile; those of `high`
// are added to atomically.
// Cost: cycles an entry, on an AMD EPYC: 2 if its row is in the nearest cache, otherwise 4 to 5, of
// which half is memory: a row's cache lines come and go for a few entries each. Most units have few
// topics, the same in every row: for up to 32 of them there is a loop without a branch for each
// number, and rows are asked for sixteen terms ahead, which together take a third off long
// documents. Tried without gain: asking for all rows before the clip; four rows in step; whole
// lines of a row at once with AVX-512 (the memory is the same, and the spread costs more than it
// saves). Left: skipping entries that round to 0, half of those of trained topics, by compacting
// them with AVX-512 took another fifth off, and nothing where topics have noise.
#ifndef TOPICWALL_SERVER_MECHANISM_LATTICE_ROWS_H_
#define TOPICWALL_SERVER_MECHANISM_LATTICE_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace topicwall::mechanism {

struct LatticeRows {
  uint32_t* low;
  uint32_t* high;
  std::size_t num_topics;  // K: the length of a row
};

struct UnitRows {
  absl::Span<const uint32_t> terms;
  absl::Span<const uint32_t> topics;
  const uint64_t* values;  // terms × topics
};

void AddRows(const LatticeRows& lattice, const UnitRows& unit);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_LATTICE_ROWS_H_
