// What this program has of memory by operator new, which is all that models take theirs by: what
// malloc says of its heap depends on what threads have freed and keep at hand.
#ifndef TOPICWALL_TESTS_MODEL_MEMORY_IN_USE_H_
#define TOPICWALL_TESTS_MODEL_MEMORY_IN_USE_H_

#include <cstdint>

namespace topicwall::testing {

// Bytes; 0 with a sanitizer. Any thread.
int64_t MemoryInUse();

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_MODEL_MEMORY_IN_USE_H_
