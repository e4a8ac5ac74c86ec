// The two products of an iteration with all topics.
//
//   WeightedSum<Simd>(task, ratios):   sum_k = Σ_w ratios_w b_kw
//   DensePass<Simd>(task):             ratios_w = c_w / Σ_k e_k b_kw,   sum_k = Σ_w ratios_w b_kw
//
// Where no topic may be dropped, all iterations are dense: the first one's WeightedSum packs b on
// its way, and DensePass reads task.packed. Else a copy would serve too few passes.
//
// Order of the additions, which the bits of a kernel hang on: over topics, Simd::kLanes partial
// sums and then Simd::SumEach; over words, in their order within a block (word_blocks.h).
#ifndef TOPICWALL_MODEL_LDA_KERNEL_PASSES_DENSE_PASS_H_
#define TOPICWALL_MODEL_LDA_KERNEL_PASSES_DENSE_PASS_H_

#include <cstddef>

#include "model/lda/kernel/kernel_task.h"
#include "model/lda/kernel/passes/dense_rows.h"
#include "model/lda/kernel/word_blocks.h"
#include "model/lda/math/simd/vector_count.h"

namespace topicwall::lda {

template <class Simd>
bool IsPacked(const KernelTask& task) {
  return task.most_active == 0;
}

// ratios and sum of a block, whose last words are padded to four with words of count 0.
template <class Simd, class Rows, size_t kVectors>
void DenseBlock(const KernelTask& task, size_t begin, size_t end, float* sum) {
  // So far behind their ratios are words added: at four, they would be waited for.
  constexpr size_t kWordsBehind = 8;
  // An array of its own can stay in registers.
  constexpr size_t kKept = kVectors * Simd::kLanes;
  alignas(typename Simd::Floats) float kept[kVectors > 0 ? kKept : 1];
  float* sums = kVectors > 0 ? kept : sum;
  ClearSums<Simd>(kVectors > 0 ? kKept : task.num_topics, sums);
  const float* ratios = task.ratios;
  size_t j = begin, added = begin;
  for (; j < end && j < begin + kWordsBehind; j += 4) {
    FourWords<Simd, Rows, kVectors, true, false>(task, ratios, j, 0, sums);
  }
  for (; j < end; j += 4, added += 4) {
    FourWords<Simd, Rows, kVectors, true, true>(task, ratios, j, added, sums);
  }
  for (; added < end; added += 4) {
    FourWords<Simd, Rows, kVectors, false, true>(task, ratios, 0, added, sums);
  }
  for (size_t k = 0; k < kKept; k += Simd::kLanes) Simd::Store(sum + k, Simd::Load(kept + k));
}

template <class Simd, size_t kVectors, bool kPack>
void WeightedBlock(const KernelTask& task, const float* ratios, size_t begin, size_t end,
                   float* sum) {
  if constexpr (kVectors == 0) {
    ClearSums<Simd>(task.num_topics, sum);
    size_t j = begin;
    for (; j + 8 <= end; j += 8) AddRows<Simd, 8, kPack>(task, ratios, j, sum);
    for (; j < end; j += 4) AddRows<Simd, 4, kPack>(task, ratios, j, sum);
  } else {
    // One word at a time is enough here: no sum across lanes, and kVectors chains of additions.
    typename Simd::Floats total[kVectors];
    for (auto& t : total) t = Simd::Broadcast(kSumFloor);
    // The words that pad the last four are packed as well: they have ratio 0.
    const size_t last = kPack ? (end + 3) / 4 * 4 : end;
    for (size_t j = begin; j < last; ++j) {
      const auto ratio = Simd::Broadcast(ratios[j]);
      const PackedRows<Simd> packed(task, j / 4 * 4);
      for (size_t v = 0; v < kVectors; ++v) {
        const auto b = Simd::Load(task.rows[j] + v * Simd::kLanes);
        if constexpr (kPack) Simd::Store(packed.at(j % 4, v * Simd::kLanes), b);
        total[v] = Simd::MulAdd(b, ratio, total[v]);
      }
    }
    for (size_t v = 0; v < kVectors; ++v) Simd::Store(sum + v * Simd::kLanes, total[v]);
  }
}

template <class Simd>
void DensePass(const KernelTask& task) {
  WithVectorCount<Simd>((task.num_topics + Simd::kLanes - 1) / Simd::kLanes, [&task](auto count) {
    constexpr size_t kVectors = decltype(count)::value;
    SumOverBlocks<Simd>(task, [&task](size_t begin, size_t end, float* sum) {
      if (IsPacked<Simd>(task)) {
        DenseBlock<Simd, PackedRows<Simd>, kVectors>(task, begin, end, sum);
      } else {
        DenseBlock<Simd, RowsOfTerms<Simd>, kVectors>(task, begin, end, sum);
      }
    });
  });
}

template <class Simd>
void WeightedSum(const KernelTask& task, const float* ratios) {
  WithVectorCount<Simd>(
      (task.num_topics + Simd::kLanes - 1) / Simd::kLanes, [&task, ratios](auto count) {
        constexpr size_t kVectors = decltype(count)::value;
        SumOverBlocks<Simd>(task, [&task, ratios](size_t begin, size_t end, float* sum) {
          if (IsPacked<Simd>(task)) {
            WeightedBlock<Simd, kVectors, true>(task, ratios, begin, end, sum);
          } else {
            WeightedBlock<Simd, kVectors, false>(task, ratios, begin, end, sum);
          }
        });
      });
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_PASSES_DENSE_PASS_H_
