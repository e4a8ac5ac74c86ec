// The results of a document, from the ratios of its last pass.
#ifndef TOPICWALL_LDA_STATISTIC_WRITER_H_
#define TOPICWALL_LDA_STATISTIC_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "lda/active_topics.h"
#include "lda/kernel_task.h"

namespace topicwall::lda {

// x of the listed topics, from e of all topics.
template <class Simd>
void WriteStatistic(KernelTask& task) {
  float* row = task.block_sum;  // x of all topics of one word
  float* out = task.statistic;
  for (size_t j = 0; j < task.num_words; ++j) {
    const auto ratio = Simd::Broadcast(task.ratios[j]);
    for (size_t k = 0; k < task.num_topics; k += Simd::kLanes) {
      const auto weighted = Simd::Load(task.weight + k) * Simd::Load(task.rows[j] + k);
      Simd::Store(row + k, ratio * weighted);
    }
    if (task.num_listed == task.num_topics) {
      for (size_t k = 0; k < task.num_topics; ++k) out[k] = row[k];
    } else {
      for (size_t a = 0; a < task.num_listed; ++a) out[a] = row[task.topics[a]];
    }
    out += task.num_listed;
  }
}

// γ and x of the active topics, which become the listed ones.
template <class Simd>
void WriteStatistic(KernelTask& task, const ActiveTopics<Simd>& active) {
  for (size_t k = 0; k < task.padded_topics; ++k) task.gamma[k] = task.prior;
  task.num_listed = active.size();
  for (size_t a = 0; a < active.size(); ++a) task.gamma[task.topics[a]] = task.active_gamma[a];
  active.WriteRows(task.statistic);
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_STATISTIC_WRITER_H_
