// Sums over a document's words, block by block.
//
// Words are added in their order in float32 within a block of kWordsPerBlock, and blocks with
// Kahan's compensation: a document of a million words is as accurate as one of a hundred.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_WORD_BLOCKS_H_
#define TOPICWALL_MODEL_LDA_KERNEL_WORD_BLOCKS_H_

#include <cstddef>

#include "model/lda/kernel/kernel_task.h"

namespace topicwall::lda {

inline constexpr size_t kWordsPerBlock = 64;

// total += part, where `compensation` keeps what earlier additions lost.
template <class Simd>
void AddCompensated(const float* part, size_t size, float* total, float* compensation) {
  for (size_t k = 0; k < size; k += Simd::kLanes) {
    const auto corrected = Simd::Load(part + k) - Simd::Load(compensation + k);
    const auto before = Simd::Load(total + k);
    const auto after = before + corrected;
    Simd::Store(compensation + k, (after - before) - corrected);
    Simd::Store(total + k, after);
  }
}

// Runs `block(begin, end, sum)` over blocks of words and adds the sums up in task.sum.
template <class Simd, class Block>
void SumOverBlocks(const KernelTask& task, Block block) {
  for (size_t begin = 0; begin < task.num_words; begin += kWordsPerBlock) {
    const size_t rest = task.num_words - begin;
    const size_t end = begin + (rest < kWordsPerBlock ? rest : kWordsPerBlock);
    if (begin == 0) {
      block(begin, end, task.sum);
      continue;
    }
    if (begin == kWordsPerBlock) {
      for (size_t k = 0; k < task.padded_topics; ++k) task.compensation[k] = 0;
    }
    block(begin, end, task.block_sum);
    AddCompensated<Simd>(task.block_sum, task.padded_topics, task.sum, task.compensation);
  }
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_WORD_BLOCKS_H_
