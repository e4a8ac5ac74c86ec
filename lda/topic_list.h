// The topics that a document uses.
#ifndef TOPICWALL_LDA_TOPIC_LIST_H_
#define TOPICWALL_LDA_TOPIC_LIST_H_

#include <cstddef>
#include <cstdint>

#include "lda/kernel_task.h"

namespace topicwall::lda {

// Writes to task.topics, ascending, those with more than d words after an update of all topics
// (task.sum holds γ − α), and returns how many they are.
template <class Simd>
size_t ListTopics(const KernelTask& task) {
  const auto limit = Simd::Broadcast(task.drop_limit);
  size_t size = 0;
  for (size_t k = 0; k < task.num_topics; k += Simd::kLanes) {
    uint32_t mask = Simd::MaskGreater(Simd::Load(task.sum + k), limit);
    for (; mask != 0; mask &= mask - 1) {
      task.topics[size++] = static_cast<uint32_t>(k) + static_cast<uint32_t>(__builtin_ctz(mask));
    }
  }
  return size;
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_TOPIC_LIST_H_
