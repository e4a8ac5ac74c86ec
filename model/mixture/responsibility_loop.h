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
  // The score of a component that is not there.
  static constexpr float kLowest = -3.4e38f;

  static float LargestOf(Floats values) {
    alignas(64) float lanes[kLanes];
    Simd::Store(lanes, values);
    float largest = lanes[0];
    for (size_t lane = 1; lane < kLanes; ++lane) {
      largest = lanes[lane] > largest ? lanes[lane] : largest;
    }
    return largest;
  }

  // scores[k] = Σ_v c_v·weight_vk of kBlocks vectors from k on. Side by side, so that one loop over
  // the terms, of a length that no processor can guess, serves them all.
  template <size_t kBlocks>
  static void ScoreBlocks(const ResponsibilityTask& task, size_t k) {
    Floats scores[kBlocks];
    for (Floats& score : scores) score = Simd::Broadcast(0.0f);
    for (size_t j = 0; j < task.num_terms; ++j) {
      const Floats count = Simd::Broadcast(task.counts[j]);
      const float* row = task.rows[j] + k;
      for (size_t i = 0; i < kBlocks; ++i) {
        scores[i] = Simd::MulAdd(count, Simd::Load(row + i * kLanes), scores[i]);
      }
    }
    for (size_t i = 0; i < kBlocks; ++i) Simd::Store(task.scores + k + i * kLanes, scores[i]);
  }

  // All vectors from k on, as many side by side as are left. Returns where none are.
  template <size_t kBlocks>
  static size_t ScoreFrom(const ResponsibilityTask& task, size_t k) {
    for (; k + kBlocks * kLanes <= task.padded_components; k += kBlocks * kLanes) {
      ScoreBlocks<kBlocks>(task, k);
    }
    if constexpr (kBlocks > 1) k = ScoreFrom<kBlocks / 2>(task, k);
    return k;
  }

  // All scores, and the largest.
  static float Score(const ResponsibilityTask& task) {
    constexpr size_t kMost = 8;  // additions wait four steps for each other, and two go on at once
    ScoreFrom<kMost>(task, 0);
    size_t k = task.num_components;
    // After the sums and not in the table: a negative amount would make them the best.
    for (; k < task.padded_components; ++k) task.scores[k] = kLowest;
    Floats largest = Simd::Broadcast(kLowest);
    for (k = 0; k < task.padded_components; k += kLanes) {
      largest = Simd::Max(largest, Simd::Load(task.scores + k));
    }
    return LargestOf(largest);
  }

  // Without a branch that depends on a share: which components are listed is as good as random.
  static void List(float factor, ResponsibilityTask& task) {
    const Floats scale = Simd::Broadcast(factor);
    const Floats limit = Simd::Broadcast(kSmallestShare / static_cast<float>(task.num_components));
    size_t listed = 0;
    for (size_t k = 0; k < task.padded_components; k += kLanes) {
      const Floats shares = Simd::Load(task.scores + k) * scale;
      listed += Simd::KeepGreater(shares, limit, static_cast<uint32_t>(k), task.components + listed,
                                  task.shares + listed);
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
