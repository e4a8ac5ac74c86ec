// Neighbouring pairs by name at the size of real models: K of 100 and more, V of 50,000 and more.
//
//   for (const NeighbouringPair& pair : ProductionPairs()) …
//
// What small pairs cannot show: indices beyond 16 bits, strides that are no powers of two, matrices
// that threads share (mechanism/release_memory.h), units of half a million entries.
//
// PUBLIC: made up. Threads: values. Memory: 30 MB a pair, topics for the most part.
#ifndef TOPICWALL_SERVER_AUDIT_PAIRS_PRODUCTION_PAIRS_H_
#define TOPICWALL_SERVER_AUDIT_PAIRS_PRODUCTION_PAIRS_H_

#include <functional>
#include <vector>

#include "server/audit/pairs/neighbouring_pair.h"

namespace topicwall::audit {

// Each makes one pair, so that only one of them need be in memory.
std::vector<std::function<NeighbouringPair()>> ProductionPairs();

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_PAIRS_PRODUCTION_PAIRS_H_
