// The results of a document, from the ratios of its last pass.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_STATISTIC_WRITER_H_
#define TOPICWALL_MODEL_LDA_KERNEL_STATISTIC_WRITER_H_

#include <cstddef>
#include <cstdint>

#include "model/lda/kernel/kernel_task.h"
#include "model/lda/kernel/passes/active_topics.h"

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

// x of words j … j + count − 1 of a tile, count <= 4, to rows of `size` floats. Four columns become
// four pieces of rows; the last columns come first, because what a piece is too long is written
// again by its neighbour: by the first columns of the next word, or by the next words.
template <class Simd>
void WriteFourRows(const KernelTask& task, const ActiveEntries<Simd>& entries, size_t tile,
                   size_t j, size_t count, float* rows) {
  using Four = typename Simd::Four;
  const size_t wide = entries.width(tile);
  const Four ratios = Simd::LoadFour(task.ratios + entries.first_word(tile) + j);
  for (size_t a = entries.columns(); a > 0;) {
    a -= 4;
    const float* from = entries.tile(tile) + a * wide + j;
    Four x[4];
    for (size_t i = 0; i < 4; ++i) {
      const float e = task.active_weight[a + i];
      x[i] = ratios * (Four{e, e, e, e} * Simd::LoadFour(from + i * wide));
    }
    // Four columns of four words into four rows of four topics.
    const Four low01 = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
    const Four low23 = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
    const Four high01 = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
    const Four high23 = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
    const Four row[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                         __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                         __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                         __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
    for (size_t i = 0; i < count; ++i) {
      // Aligned as floats are, which StoreFour is not for.
      __builtin_memcpy(rows + i * entries.size() + a, &row[i], sizeof(Four));
    }
  }
}

// γ and x of the active topics, which become the listed ones.
template <class Simd>
void WriteStatistic(KernelTask& task, const ActiveTopics<Simd>& active) {
  for (size_t k = 0; k < task.padded_topics; ++k) task.gamma[k] = task.prior[k];
  task.num_listed = active.size();
  for (size_t a = 0; a < active.size(); ++a) task.gamma[task.topics[a]] = task.active_gamma[a];
  const ActiveEntries<Simd>& entries = active.entries();
  for (size_t tile = 0; tile < entries.num_tiles(); ++tile) {
    const size_t words = entries.num_words(tile);
    float* rows = task.statistic + entries.first_word(tile) * entries.size();
    for (size_t j = 0; j < words; j += 4) {
      const size_t count = words - j < 4 ? words - j : 4;
      WriteFourRows<Simd>(task, entries, tile, j, count, rows + j * entries.size());
    }
  }
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_STATISTIC_WRITER_H_
