// The two products of an iteration for a few rows of b at once, with any number of topics.
//
//   Normalise<Simd, 8>(task, j);              ratios_w = c_w / Σ_k e_k b_kw, eight words from j on
//   AddRows<Simd, 8>(task, ratios, j, sum);   sum_k += Σ_w ratios_w b_kw over the same words
//
// Eight rows are as many chains of additions as it takes to keep two multiply-adds a cycle going; a
// row is read from end to end, which is what the processor fetches ahead.
//
// Sums begin at a tiny positive number instead of 0. Nothing that matters changes, and no partial
// sum is ever subnormal, which would be slow on many processors.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_PASSES_DENSE_ROWS_H_
#define TOPICWALL_MODEL_LDA_KERNEL_PASSES_DENSE_ROWS_H_

#include <cstddef>

#include "model/lda/kernel/kernel_task.h"

namespace topicwall::lda {

// What Σ_j e_j b_jw and Σ_w ratios_w b_kw begin at, in every lane.
inline constexpr float kNormaliserFloor = 1e-36f;
inline constexpr float kSumFloor = 1e-30f;

// sum += Σ_i ratios_i b_i for the words begin … begin + kRows − 1.
template <class Simd, size_t kRows>
void AddRows(const KernelTask& task, const float* ratios, size_t begin, float* sum) {
  using Floats = typename Simd::Floats;
  const float* rows[kRows];
  Floats ratio[kRows];
  for (size_t i = 0; i < kRows; ++i) {
    rows[i] = task.rows[begin + i];
    ratio[i] = Simd::Broadcast(ratios[begin + i]);
  }
  for (size_t k = 0; k < task.num_topics; k += Simd::kLanes) {
    Floats total = Simd::Load(sum + k);
    for (size_t i = 0; i < kRows; ++i) {
      total = Simd::MulAdd(Simd::Load(rows[i] + k), ratio[i], total);
    }
    Simd::Store(sum + k, total);
  }
}

// ratios of the words begin … begin + kRows − 1.
template <class Simd, size_t kRows>
void Normalise(const KernelTask& task, size_t begin) {
  using Floats = typename Simd::Floats;
  const float* rows[kRows];
  Floats dot[kRows];
  for (size_t i = 0; i < kRows; ++i) {
    rows[i] = task.rows[begin + i];
    dot[i] = Simd::Broadcast(kNormaliserFloor);
  }
  for (size_t k = 0; k < task.num_topics; k += Simd::kLanes) {
    const Floats e = Simd::Load(task.weight + k);
    for (size_t i = 0; i < kRows; ++i) {
      dot[i] = Simd::MulAdd(Simd::Load(rows[i] + k), e, dot[i]);
    }
  }
#pragma GCC unroll 2  // else the sums leave their registers for it
  for (size_t i = 0; i < kRows; i += 4) {
    Simd::StoreFour(task.ratios + begin + i,
                    Simd::LoadFour(task.counts + begin + i) /
                        Simd::SumEach(dot[i], dot[i + 1], dot[i + 2], dot[i + 3]));
  }
}

template <class Simd>
void ClearSum(const KernelTask& task, float* sum) {
  for (size_t k = 0; k < task.num_topics; k += Simd::kLanes) {
    Simd::Store(sum + k, Simd::Broadcast(kSumFloor));
  }
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_PASSES_DENSE_ROWS_H_
