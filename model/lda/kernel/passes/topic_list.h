// The topics that a document uses.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_PASSES_TOPIC_LIST_H_
#define TOPICWALL_MODEL_LDA_KERNEL_PASSES_TOPIC_LIST_H_

#include <cstddef>
#include <cstdint>

#include "model/lda/kernel/kernel_task.h"

namespace topicwall::lda {

// Writes to task.topics, ascending, those of all topics with values_k > limit; returns how many.
template <class Simd>
size_t ListTopics(const KernelTask& task, const float* values, float limit) {
  const auto limits = Simd::Broadcast(limit);
  size_t size = 0;
  for (size_t k = 0; k < task.num_topics; k += Simd::kLanes) {
    uint32_t mask = Simd::MaskGreater(Simd::Load(values + k), limits);
    for (; mask != 0; mask &= mask - 1) {
      task.topics[size++] = static_cast<uint32_t>(k) + static_cast<uint32_t>(__builtin_ctz(mask));
    }
  }
  return size;
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_PASSES_TOPIC_LIST_H_
