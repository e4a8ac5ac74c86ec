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
// Cost: some 1 ns an entry if its row is in the cache. Most units have few topics, the same in
// every row: for up to 16 of them there is a loop without a branch for each number, which is
// twice as fast as one loop for all.
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
