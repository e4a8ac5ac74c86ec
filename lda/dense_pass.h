// The two products of an iteration over rows of b with all topics, each row read once.
//
//   DensePass<Simd>(task):             ratios_w = c_w / Σ_k e_k b_kw,   sum_k = Σ_w ratios_w b_kw
//   WeightedSum<Simd>(task, ratios):   sum_k = Σ_w ratios_w b_kw
//
// Order of the additions, which the bits of a kernel hang on: over topics, Simd::kLanes partial
// sums and then Simd::SumEach; over words, in their order within a block (word_blocks.h).
//
// Sums begin at a tiny positive number instead of 0. Nothing that matters changes, and no partial
// sum is ever subnormal, which would be slow on many processors.
#ifndef TOPICWALL_LDA_DENSE_PASS_H_
#define TOPICWALL_LDA_DENSE_PASS_H_

#include <cstddef>

#include "lda/kernel_task.h"
#include "lda/vector_count.h"
#include "lda/word_blocks.h"

namespace topicwall::lda {

// What Σ_j e_j b_jw and Σ_w ratios_w b_kw begin at, in every lane.
inline constexpr float kNormaliserFloor = 1e-36f;
inline constexpr float kSumFloor = 1e-30f;

// ratios and sum of four words at a time, the document's last ones padded with words of count 0.
// kVectors > 0: that many vectors of topics, known to the compiler; 0: as many as the task has.
template <class Simd, size_t kVectors>
void DenseBlock(const KernelTask& task, size_t begin, size_t end, float* sum) {
  using Floats = typename Simd::Floats;
  constexpr size_t kLanes = Simd::kLanes;
  const size_t vectors = kVectors > 0 ? kVectors : (task.num_topics + kLanes - 1) / kLanes;
  const float* weight = task.weight;
  Floats kept[kVectors > 0 ? kVectors : 1];
  for (size_t v = 0; v < kVectors; ++v) kept[v] = Simd::Broadcast(kSumFloor);
  if constexpr (kVectors == 0) {
    for (size_t v = 0; v < vectors; ++v) Simd::Store(sum + v * kLanes, Simd::Broadcast(kSumFloor));
  }
  for (size_t j = begin; j < end; j += 4) {
    const float* rows[4] = {task.rows[j], task.rows[j + 1], task.rows[j + 2], task.rows[j + 3]};
    Floats dot[4];
    for (Floats& d : dot) d = Simd::Broadcast(kNormaliserFloor);
    for (size_t v = 0; v < vectors; ++v) {
      const Floats e = Simd::Load(weight + v * kLanes);
      for (size_t i = 0; i < 4; ++i) {
        dot[i] = Simd::MulAdd(Simd::Load(rows[i] + v * kLanes), e, dot[i]);
      }
    }
    Simd::StoreFour(task.ratios + j, Simd::LoadFour(task.counts + j) /
                                         Simd::SumEach(dot[0], dot[1], dot[2], dot[3]));
    Floats ratio[4];
    for (size_t i = 0; i < 4; ++i) ratio[i] = Simd::Broadcast(task.ratios[j + i]);
    for (size_t v = 0; v < vectors; ++v) {
      Floats total = kVectors > 0 ? kept[kVectors > 0 ? v : 0] : Simd::Load(sum + v * kLanes);
      for (size_t i = 0; i < 4; ++i) {
        total = Simd::MulAdd(Simd::Load(rows[i] + v * kLanes), ratio[i], total);
      }
      if constexpr (kVectors > 0) {
        kept[v] = total;
      } else {
        Simd::Store(sum + v * kLanes, total);
      }
    }
  }
  for (size_t v = 0; v < kVectors; ++v) Simd::Store(sum + v * kLanes, kept[v]);
}

// sum_k = Σ_w ratios_w b_kw over words begin … end, for kVectors vectors of topics from `first` on.
template <class Simd, size_t kVectors>
void WeightedStrip(const KernelTask& task, const float* ratios, size_t begin, size_t end,
                   size_t first, float* sum) {
  constexpr size_t kLanes = Simd::kLanes;
  typename Simd::Floats total[kVectors];
  for (size_t v = 0; v < kVectors; ++v) total[v] = Simd::Broadcast(kSumFloor);
  for (size_t j = begin; j < end; ++j) {
    const auto ratio = Simd::Broadcast(ratios[j]);
    const float* row = task.rows[j] + first;
    for (size_t v = 0; v < kVectors; ++v) {
      total[v] = Simd::MulAdd(Simd::Load(row + v * kLanes), ratio, total[v]);
    }
  }
  for (size_t v = 0; v < kVectors; ++v) Simd::Store(sum + first + v * kLanes, total[v]);
}

template <class Simd, size_t kVectors>
void WeightedBlock(const KernelTask& task, const float* ratios, size_t begin, size_t end,
                   float* sum) {
  if constexpr (kVectors > 0) {
    WeightedStrip<Simd, kVectors>(task, ratios, begin, end, 0, sum);
  } else {
    constexpr size_t kStrip = 4;
    size_t k = 0;
    for (; k + kStrip * Simd::kLanes <= task.padded_topics; k += kStrip * Simd::kLanes) {
      WeightedStrip<Simd, kStrip>(task, ratios, begin, end, k, sum);
    }
    for (; k < task.num_topics; k += Simd::kLanes) {
      WeightedStrip<Simd, 1>(task, ratios, begin, end, k, sum);
    }
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

#endif  // TOPICWALL_LDA_DENSE_PASS_H_
