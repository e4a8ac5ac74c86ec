// The two products of an iteration for a few words at a time.
//
//   AddRows<Simd, 8, false>(task, ratios, j, sum);
//       sum_k += Σ_w ratios_w b_kw over the eight words from j on
//   FourWords<Simd, Rows, n, true, true>(task, ratios, j, i, sum);
//       ratios_w = c_w / Σ_k e_k b_kw of the four words from j on, and the sums over those from i
//       on
//
// Rows says where b is: RowsOfTerms, or PackedRows, a copy that lies as it is read. Of the two
// products at once each has its arithmetic done while the other waits: one for chains of additions
// and a division, the other for sums that come from memory and go there.
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

// b where the caller has it. at(i, k) are b_kw of the i-th of four words, for the topics from k on.
template <class Simd>
class RowsOfTerms {
 public:
  // Of the words from `word` on, a multiple of four.
  RowsOfTerms(const KernelTask& task, size_t word) {
    for (size_t i = 0; i < 4; ++i) rows_[i] = task.rows[word + i];
  }
  const float* at(size_t i, size_t k) const { return rows_[i] + k; }

 private:
  const float* rows_[4];
};

// The same from task.packed: four words vector by vector, then the next four. Read from end to end
// it comes from the second cache about as fast as from the first, which rows that lie anywhere do
// not; packing costs about as much as an iteration.
template <class Simd>
class PackedRows {
 public:
  PackedRows(const KernelTask& task, size_t word)
      : first_(task.packed +
               word * ((task.num_topics + Simd::kLanes - 1) / Simd::kLanes * Simd::kLanes)) {}
  float* at(size_t i, size_t k) const { return first_ + 4 * k + i * Simd::kLanes; }

 private:
  float* first_;
};

// Four words from `normalised` on if kNormalise, and four from `added` on if kAdd. kVectors > 0:
// that many vectors of topics, known to the compiler; 0: as many as the task has.
template <class Simd, class Rows, size_t kVectors, bool kNormalise, bool kAdd>
inline void FourWords(const KernelTask& task, const float* ratios, size_t normalised, size_t added,
                      float* sum) {
  using Floats = typename Simd::Floats;
  const size_t num_topics = kVectors > 0 ? kVectors * Simd::kLanes : task.num_topics;
  const float* weight = task.weight;
  const Rows to_normalise(task, normalised), to_add(task, added);
  Floats dot[4], ratio[4];
  for (size_t i = 0; i < 4; ++i) {
    if constexpr (kNormalise) dot[i] = Simd::Broadcast(kNormaliserFloor);
    if constexpr (kAdd) ratio[i] = Simd::Broadcast(ratios[added + i]);
  }
  for (size_t k = 0; k < num_topics; k += Simd::kLanes) {
    if constexpr (kAdd) {
      Floats total = Simd::Load(sum + k);
      for (size_t i = 0; i < 4; ++i) {
        total = Simd::MulAdd(Simd::Load(to_add.at(i, k)), ratio[i], total);
      }
      Simd::Store(sum + k, total);
    }
    if constexpr (kNormalise) {
      const Floats e = Simd::Load(weight + k);
      for (size_t i = 0; i < 4; ++i) {
        dot[i] = Simd::MulAdd(Simd::Load(to_normalise.at(i, k)), e, dot[i]);
      }
    }
  }
  // Four sums across lanes cost no more than one, and a single division serves them all.
  if constexpr (kNormalise) {
    Simd::StoreFour(task.ratios + normalised, Simd::LoadFour(task.counts + normalised) /
                                                  Simd::SumEach(dot[0], dot[1], dot[2], dot[3]));
  }
}

// sum += Σ_i ratios_i b_i for the words begin … begin + kRows − 1: four or eight rows of terms side
// by side, since they may have to come from memory. kPack: and packs them.
template <class Simd, size_t kRows, bool kPack>
void AddRows(const KernelTask& task, const float* ratios, size_t begin, float* sum) {
  using Floats = typename Simd::Floats;
  const size_t num_topics = task.num_topics;
  const float* rows[kRows];
  Floats ratio[kRows];
  for (size_t i = 0; i < kRows; ++i) {
    rows[i] = task.rows[begin + i];
    ratio[i] = Simd::Broadcast(ratios[begin + i]);
  }
  const PackedRows<Simd> packed[2] = {{task, begin}, {task, begin + 4}};
  for (size_t k = 0; k < num_topics; k += Simd::kLanes) {
    Floats total = Simd::Load(sum + k);
    for (size_t i = 0; i < kRows; ++i) {
      const Floats b = Simd::Load(rows[i] + k);
      if constexpr (kPack) Simd::Store(packed[i / 4].at(i % 4, k), b);
      total = Simd::MulAdd(b, ratio[i], total);
    }
    Simd::Store(sum + k, total);
  }
}

template <class Simd>
void ClearSums(size_t num_topics, float* sum) {
  for (size_t k = 0; k < num_topics; k += Simd::kLanes) {
    Simd::Store(sum + k, Simd::Broadcast(kSumFloor));
  }
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_PASSES_DENSE_ROWS_H_
