// The two products of an iteration over rows of b with all topics, each row read once.
//
//   DensePass<Simd>(task):             ratios_w = c_w / Σ_k e_k b_kw,   sum_k = Σ_w ratios_w b_kw
//   WeightedSum<Simd>(task, ratios):   sum_k = Σ_w ratios_w b_kw
//
// Order of the additions, which the bits of a kernel hang on: over topics, Simd::kLanes partial
// sums and then Simd::SumEach; over words, in their order within a block (word_blocks.h).
//
// Up to kMostVectors vectors of topics, the sums stay in registers; beyond, dense_rows.h does eight
// words at a time.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_PASSES_DENSE_PASS_H_
#define TOPICWALL_MODEL_LDA_KERNEL_PASSES_DENSE_PASS_H_

#include <cstddef>

#include "model/lda/kernel/kernel_task.h"
#include "model/lda/kernel/passes/dense_rows.h"
#include "model/lda/kernel/word_blocks.h"
#include "model/lda/math/simd/vector_count.h"

namespace topicwall::lda {

// ratios and sum of four words at a time, the document's last ones padded with words of count 0.
// kVectors > 0: that many vectors of topics, known to the compiler; 0: as many as the task has.
template <class Simd, size_t kVectors>
void DenseBlock(const KernelTask& task, size_t begin, size_t end, float* sum) {
  using Floats = typename Simd::Floats;
  constexpr size_t kLanes = Simd::kLanes;
  if constexpr (kVectors == 0) {
    ClearSum<Simd>(task, sum);
    size_t j = begin;
    // The next eight words' products go on while these wait for their division.
    for (; j + 8 <= end; j += 8) {
      Normalise<Simd, 8>(task, j);
      if (j > begin) AddRows<Simd, 8>(task, task.ratios, j - 8, sum);
    }
    if (j > begin) AddRows<Simd, 8>(task, task.ratios, j - 8, sum);
    for (; j < end; j += 4) {
      Normalise<Simd, 4>(task, j);
      AddRows<Simd, 4>(task, task.ratios, j, sum);
    }
    return;
  } else {
    Floats kept[kVectors];
    for (Floats& k : kept) k = Simd::Broadcast(kSumFloor);
    // Four rows together, because that many sums across lanes cost no more than one, and a single
    // division serves them all. Their second reading is from the first cache.
    for (size_t j = begin; j < end; j += 4) {
      const float* rows[4] = {task.rows[j], task.rows[j + 1], task.rows[j + 2], task.rows[j + 3]};
      Floats dot[4];
      for (Floats& d : dot) d = Simd::Broadcast(kNormaliserFloor);
      for (size_t v = 0; v < kVectors; ++v) {
        const Floats e = Simd::Load(task.weight + v * kLanes);
        for (size_t i = 0; i < 4; ++i) {
          dot[i] = Simd::MulAdd(Simd::Load(rows[i] + v * kLanes), e, dot[i]);
        }
      }
      Simd::StoreFour(task.ratios + j, Simd::LoadFour(task.counts + j) /
                                           Simd::SumEach(dot[0], dot[1], dot[2], dot[3]));
      // Back from memory: broadcasting a float that is there costs no instruction for arithmetic.
      Floats ratio[4];
      for (size_t i = 0; i < 4; ++i) ratio[i] = Simd::Broadcast(task.ratios[j + i]);
      for (size_t v = 0; v < kVectors; ++v) {
        for (size_t i = 0; i < 4; ++i) {
          kept[v] = Simd::MulAdd(Simd::Load(rows[i] + v * kLanes), ratio[i], kept[v]);
        }
      }
    }
    for (size_t v = 0; v < kVectors; ++v) Simd::Store(sum + v * kLanes, kept[v]);
  }
}

template <class Simd, size_t kVectors>
void WeightedBlock(const KernelTask& task, const float* ratios, size_t begin, size_t end,
                   float* sum) {
  if constexpr (kVectors == 0) {
    ClearSum<Simd>(task, sum);
    size_t j = begin;
    for (; j + 8 <= end; j += 8) AddRows<Simd, 8>(task, ratios, j, sum);
    for (; j < end; j += 4) AddRows<Simd, 4>(task, ratios, j, sum);
  } else {
    // One word at a time is enough here: no sum across lanes, and kVectors chains of additions.
    typename Simd::Floats total[kVectors];
    for (auto& t : total) t = Simd::Broadcast(kSumFloor);
    for (size_t j = begin; j < end; ++j) {
      const auto ratio = Simd::Broadcast(ratios[j]);
      for (size_t v = 0; v < kVectors; ++v) {
        total[v] = Simd::MulAdd(Simd::Load(task.rows[j] + v * Simd::kLanes), ratio, total[v]);
      }
    }
    for (size_t v = 0; v < kVectors; ++v) Simd::Store(sum + v * Simd::kLanes, total[v]);
  }
}

template <class Simd>
void DensePass(const KernelTask& task) {
  WithVectorCount<Simd>((task.num_topics + Simd::kLanes - 1) / Simd::kLanes, [&task](auto count) {
    SumOverBlocks<Simd>(task, [&task](size_t begin, size_t end, float* sum) {
      DenseBlock<Simd, decltype(count)::value>(task, begin, end, sum);
    });
  });
}

template <class Simd>
void WeightedSum(const KernelTask& task, const float* ratios) {
  WithVectorCount<Simd>(
      (task.num_topics + Simd::kLanes - 1) / Simd::kLanes, [&task, ratios](auto count) {
        SumOverBlocks<Simd>(task, [&task, ratios](size_t begin, size_t end, float* sum) {
          WeightedBlock<Simd, decltype(count)::value>(task, ratios, begin, end, sum);
        });
      });
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_PASSES_DENSE_PASS_H_
