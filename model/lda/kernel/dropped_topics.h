// Topics that a document no longer needs, and the proof that they would not have come back.
//
// A topic is dropped once γ_k <= g; g is such that each α_k is either above g, so that its topic is
// never dropped, or at most g − d. Why it is enough to look at the end: let R_w be the largest
// ratio c_w / Σ_j e_j b_jw of word w in any iteration since the first topics were dropped
// (task.largest_ratios), and E = exp(ψ(g)). A topic with γ_k <= g would have held,
// one iteration later,
//   γ_k − α_k = e_k Σ_w ratios_w b_kw <= E Σ_w R_w b_kw <= E Σ_w R_w,
// since b <= 1. If one of the bounds on the right is at most d/4, then γ_k <= α_k + d/4 <= g once
// more, and so on by induction: from one iteration after it was dropped on, the topic never held
// more than d/4 words. (Jumps leave topics with no more than d words alone; a topic is dropped
// after the jump, if there is one.) Leaving dropped topics out makes normalisers smaller and ratios
// larger, so R is on the safe side, and it changes the shares of all words together by at most d/4
// for each topic and iteration. Σ_w R_w b_kw is only computed where E Σ_w R_w is too coarse.
//
// The words that a topic held when it was dropped count as a change of γ in the next iteration, so
// that the rule that ends the loop sees what it would have seen.
//
// g (drop_limit.h) is as large as documents whose ratios add up to 10^4 allow; d is the most that
// may be missing from the statistic.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_DROPPED_TOPICS_H_
#define TOPICWALL_MODEL_LDA_KERNEL_DROPPED_TOPICS_H_

#include <cstddef>

#include "model/lda/kernel/kernel_task.h"
#include "model/lda/kernel/passes/active_topics.h"
#include "model/lda/kernel/passes/dense_pass.h"

namespace topicwall::lda {

// Largest Σ_w c_w / Σ_j e_j b_jw that is trusted: below it, no product that matters was lost.
inline constexpr float kLargestRatio = 1e28f;

// Σ_k (γ_k − α_k) over those of `size` topics that are not above g: what is lost by dropping them.
template <class Simd>
float WordsBelowLimit(const KernelTask& task, size_t size, const float* prior, const float* gamma) {
  using Floats = typename Simd::Floats;
  const Floats limit = Simd::Broadcast(task.drop_limit);
  Floats below = Simd::Broadcast(0);
  for (size_t k = 0; k < size; k += Simd::kLanes) {
    const Floats words = Simd::Load(gamma + k) - Simd::Load(prior + k);
    below = below + (words - Simd::KeepWhereLess(words, limit, Simd::Load(gamma + k)));
  }
  return Simd::Sum(below);
}

// After the last pass: whether no topic that is not active would have held more than d/4 words.
// Overwrites task.sum.
template <class Simd>
bool DroppedStayAway(const KernelTask& task, const ActiveTopics<Simd>& active) {
  const float bound = active.LargestRatioSum();
  if (!(bound <= kLargestRatio)) return false;
  const float most = 0.25f * task.list_limit;
  if (task.weight_of_dropped * bound <= most) return true;
  WeightedSum<Simd>(task, task.largest_ratios);
  for (size_t a = 0; a < active.size(); ++a) task.sum[task.topics[a]] = 0;
  for (size_t k = 0; k < task.num_topics; ++k) {
    if (!(task.weight_of_dropped * task.sum[k] <= most)) return false;
  }
  return true;
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_DROPPED_TOPICS_H_
