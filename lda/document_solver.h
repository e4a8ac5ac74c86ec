// The fixed point of one document in float32 (e_step.h has the equations), for one instruction set.
//
// 1. The first iteration starts at γ = 1, where all e are equal and cancel: its normalisers are
//    Σ_k b_kw, which the caller has divided the counts by.
// 2. Dense iterations over all topics, until the document has converged or at most
//    task.most_active topics hold more than d words.
// 3. Iterations over those topics, which drop what has fallen to d or less.
// 4. The check that none of the dropped would have come back. If one might, the document is
//    done again from the start without dropping.
//
// What is dropped: topic k once γ_k − α <= d. In exact arithmetic it would have gone on with
// γ_k − α = e_k Σ_w ratios_w b_kw <= exp(ψ(α + d)) Σ_w ratios_w, since b <= 1. If the right side
// stayed below d/4 in every iteration then, by induction, it never held more than that: dropping it
// changed the sum of each word's shares by less than d/4 a topic. Where that bound is too coarse,
// the topic's own sum at the last iteration is put in its place.
#ifndef TOPICWALL_LDA_DOCUMENT_SOLVER_H_
#define TOPICWALL_LDA_DOCUMENT_SOLVER_H_

#include <cstddef>
#include <cstdint>

#include "lda/active_topics.h"
#include "lda/dense_pass.h"
#include "lda/extrapolation.h"
#include "lda/gamma_update.h"
#include "lda/kernel_task.h"
#include "lda/statistic_writer.h"
#include "lda/topic_list.h"

namespace topicwall::lda {

// Largest Σ_w c_w / Σ_j e_j b_jw that is trusted: below it, no product that matters was lost.
inline constexpr float kLargestRatio = 1e28f;

template <class Simd>
class DocumentSolver {
 public:
  explicit DocumentSolver(KernelTask& task) : task_(task) {}

  // False if float32's range does not do for this document.
  bool Solve() {
    Outcome outcome = Run(task_.most_active);
    if (outcome == Outcome::kDroppedTooMuch) outcome = Run(0);
    return outcome == Outcome::kSolved;
  }

 private:
  using Floats = typename Simd::Floats;
  static constexpr size_t kLanes = Simd::kLanes;
  enum class Outcome { kSolved, kDroppedTooMuch, kOutOfRange };

  Outcome Run(size_t most_active);
  Outcome RunActive();
  GammaChange FirstIteration();
  bool DroppedStayAway(size_t num_active, float bound);
  Outcome FinishDense();
  // Of all topics.
  GammaChange Update() {
    return UpdateGamma<Simd>(task_, task_.num_topics, task_.gamma, task_.weight, task_.sum,
                             &largest_sum_);
  }
  bool IsLast(const GammaChange& change) const {
    return change.total < task_.most_change || task_.iterations >= task_.max_iterations ||
           !(change.total <= kLargestRatio);  // not a number: no use in going on
  }

  KernelTask& task_;
  Floats largest_sum_ = Simd::Broadcast(0);  // of any topic in any iteration, per lane
};

template <class Simd>
GammaChange DocumentSolver<Simd>::FirstIteration() {
  task_.iterations = 1;
  largest_sum_ = Simd::Broadcast(0);
  for (size_t k = 0; k < task_.padded_topics; ++k) {
    task_.gamma[k] = k < task_.num_topics ? 1.0f : task_.prior;
    task_.weight[k] = k < task_.num_topics ? 1.0f : 0.0f;
  }
  WeightedSum<Simd>(task_, task_.flat_ratios);
  return Update();
}

template <class Simd>
typename DocumentSolver<Simd>::Outcome DocumentSolver<Simd>::Run(size_t most_active) {
  GammaChange change = FirstIteration();
  while (!IsLast(change)) {
    Extrapolate<Simd>(task_, task_.iterations, task_.num_topics, task_.gamma);
    UpdateWeights<Simd>(task_.num_topics, task_.gamma, task_.weight);
    if (change.above_limit <= most_active) return RunActive();
    DensePass<Simd>(task_);
    ++task_.iterations;
    change = Update();
  }
  UpdateWeights<Simd>(task_.num_topics, task_.gamma, task_.weight);
  return FinishDense();
}

template <class Simd>
typename DocumentSolver<Simd>::Outcome DocumentSolver<Simd>::RunActive() {
  ActiveTopics<Simd> active(task_);
  Floats ratio_sums = Simd::Broadcast(0);
  for (bool last = false; !last;) {
    active.Pass(&ratio_sums);
    ++task_.iterations;
    const GammaChange change = active.Update(&largest_sum_);
    last = IsLast(change);
    if (!last) active.Jump(task_.iterations);
    if (last || active.PaysToDrop(change.above_limit)) active.Drop();
    active.UpdateWeights();
  }
  active.Pass(&ratio_sums);
  const float bound = Simd::Sum(ratio_sums);
  if (!(bound <= kLargestRatio)) return Outcome::kOutOfRange;
  if (!DroppedStayAway(active.size(), bound)) return Outcome::kDroppedTooMuch;
  WriteStatistic<Simd>(task_, active);
  return Outcome::kSolved;
}

// The task's ratios are those of the last pass.
template <class Simd>
bool DocumentSolver<Simd>::DroppedStayAway(size_t num_active, float bound) {
  const float most = 0.25f * task_.drop_limit;
  if (task_.weight_of_dropped * bound <= most) return true;
  WeightedSum<Simd>(task_, task_.ratios);
  for (size_t a = 0; a < num_active; ++a) task_.sum[task_.topics[a]] = 0;
  for (size_t k = 0; k < task_.num_topics; ++k) {
    if (!(task_.weight_of_dropped * task_.sum[k] <= most)) return false;
  }
  return true;
}

template <class Simd>
typename DocumentSolver<Simd>::Outcome DocumentSolver<Simd>::FinishDense() {
  task_.num_listed = ListTopics<Simd>(task_);
  DensePass<Simd>(task_);
  for (size_t k = 0; k < task_.num_topics; k += kLanes) {
    largest_sum_ = Simd::Max(largest_sum_, Simd::Load(task_.sum + k));
  }
  if (!(Simd::Sum(largest_sum_) <= kLargestRatio)) return Outcome::kOutOfRange;
  WriteStatistic<Simd>(task_);
  return Outcome::kSolved;
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_DOCUMENT_SOLVER_H_
