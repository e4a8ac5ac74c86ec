// The arithmetic of responsibilities.h, for one kind of processor; Simd as in
// model/lda/math/simd/simd_portable.h, which says how to compile this.
//
// Whatever the weights are, all scores of real components are finite: terms weigh between −10^9 and
// 0, and a document has fewer than 2^63 words. So the largest score is, and no difference is NaN.
#ifndef TOPICWALL_MODEL_MIXTURE_RESPONSIBILITY_LOOP_H_
#define TOPICWALL_MODEL_MIXTURE_RESPONSIBILITY_LOOP_H_

#include <cstddef>
#include <cstdint>

#include "model/lda/math/simd/exp_digamma_simd.h"
#include "model/mixture/responsibility_task.h"

namespace topicwall::mixture {

template <class Simd>
struct ResponsibilityLoop {
  using Floats = typename Simd::Floats;
  static constexpr size_t kLanes = Simd::kLanes;

  static float LargestOf(Floats values) {
    alignas(64) float lanes[kLanes];
    Simd::Store(lanes, values);
    float largest = lanes[0];
    for (size_t lane = 1; lane < kLanes; ++lane) {
      largest = lanes[lane] > largest ? lanes[lane] : largest;
    }
    return largest;
  }

  // scores[k] = Σ_v c_v·weight_vk, and the largest.
  static float Score(ResponsibilityTask& task) {
    Floats largest = Simd::Broadcast(-3.4e38f);
    for (size_t k = 0; k < task.padded_components; k += kLanes) {
      Floats score = Simd::Broadcast(0.0f);
      for (size_t j = 0; j < task.num_terms; ++j) {
        score = Simd::MulAdd(Simd::Broadcast(task.counts[j]), Simd::Load(task.rows[j] + k), score);
      }
      Simd::Store(task.scores + k, score);
      largest = Simd::Max(largest, score);
    }
    return LargestOf(largest);
  }

  static void List(float factor, ResponsibilityTask& task) {
    const float least = kSmallestShare / static_cast<float>(task.num_components);
    const Floats scale = Simd::Broadcast(factor);
    const Floats limit = Simd::Broadcast(least);
    size_t listed = 0;
    for (size_t k = 0; k < task.num_components; k += kLanes) {
      const Floats shares = Simd::Load(task.scores + k) * scale;
      uint32_t mask = Simd::MaskGreater(shares, limit);
      if (mask == 0) continue;
      Simd::Store(task.scores + k, shares);
      for (; mask != 0; mask &= mask - 1) {
        const size_t component = k + static_cast<size_t>(__builtin_ctz(mask));
        if (component >= task.num_components) break;
        task.components[listed] = static_cast<uint32_t>(component);
        task.shares[listed++] = task.scores[component];
      }
    }
    task.num_listed = listed;
  }

  static void Fill(ResponsibilityTask& task) {
    const Floats largest = Simd::Broadcast(Score(task));
    Floats sum = Simd::Broadcast(0.0f);
    for (size_t k = 0; k < task.padded_components; k += kLanes) {
      const Floats weight = lda::ExpOfMinus<Simd>(largest - Simd::Load(task.scores + k));
      Simd::Store(task.scores + k, weight);
      sum += weight;
    }
    List(1.0f / Simd::Sum(sum), task);  // the largest component has weight 1
  }
};

}  // namespace topicwall::mixture

#endif  // TOPICWALL_MODEL_MIXTURE_RESPONSIBILITY_LOOP_H_
