// The fixed point of one document in float32 (e_step.h has the equations), for one instruction set.
//
// 1. The first iteration starts at γ = 1, where all e are equal and cancel: its normalisers are
//    Σ_k b_kw, which the caller has divided the counts by.
// 2. Dense iterations over all topics, until the document has converged or at most
//    task.most_active topics have γ_k > g. Where none may be dropped, the first iteration packs b.
// 3. Iterations over those topics, which drop what has fallen to g or less.
// 4. The check that none of the dropped would have come back. If one might, or a normaliser was
//    tiny without the dropped, the document is done again from the start without dropping.
//
// dropped_topics.h says what is dropped and proves that the check is enough.
#ifndef TOPICWALL_MODEL_LDA_KERNEL_DOCUMENT_SOLVER_H_
#define TOPICWALL_MODEL_LDA_KERNEL_DOCUMENT_SOLVER_H_

#include <cstddef>
#include <cstdint>

#include "model/lda/kernel/dropped_topics.h"
#include "model/lda/kernel/extrapolation.h"
#include "model/lda/kernel/gamma_update.h"
#include "model/lda/kernel/kernel_task.h"
#include "model/lda/kernel/passes/active_topics.h"
#include "model/lda/kernel/passes/dense_pass.h"
#include "model/lda/kernel/passes/topic_list.h"
#include "model/lda/kernel/statistic_writer.h"

namespace topicwall::lda {

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
  Outcome RunActive(size_t size);
  GammaChange FirstIteration();
  Outcome FinishDense();
  // Of all topics.
  GammaChange Update() {
    return UpdateGamma<Simd>(task_, task_.num_topics, task_.prior, task_.gamma, task_.weight,
                             task_.sum, &largest_sum_);
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
    task_.gamma[k] = k < task_.num_topics ? 1.0f : task_.smallest_prior;
    task_.weight[k] = k < task_.num_topics ? 1.0f : 0.0f;
  }
  WeightedSum<Simd>(task_, task_.flat_ratios);
  return Update();
}

template <class Simd>
typename DocumentSolver<Simd>::Outcome DocumentSolver<Simd>::Run(size_t most_active) {
  GammaChange change = FirstIteration();
  while (!IsLast(change)) {
    Extrapolate<Simd>(task_, task_.iterations, task_.num_topics, task_.prior, task_.gamma);
    if (change.above_limit <= most_active) {
      const size_t size = ListTopics<Simd>(task_, task_.gamma, task_.drop_limit);
      // A jump may have raised some; and with none there would be no normaliser.
      if (size > 0 && size <= most_active) return RunActive(size);
    }
    UpdateWeights<Simd>(task_.num_topics, task_.gamma, task_.weight);
    DensePass<Simd>(task_);
    ++task_.iterations;
    change = Update();
  }
  UpdateWeights<Simd>(task_.num_topics, task_.gamma, task_.weight);
  return FinishDense();
}

template <class Simd>
typename DocumentSolver<Simd>::Outcome DocumentSolver<Simd>::RunActive(size_t size) {
  float dropped = WordsBelowLimit<Simd>(task_, task_.num_topics, task_.prior, task_.gamma);
  ActiveTopics<Simd> active(task_, size);
  active.UpdateWeights();
  for (bool last = false; !last;) {
    active.Pass();
    ++task_.iterations;
    GammaChange change = active.Update(&largest_sum_);
    // What was dropped last time is gone from γ without being in the change: it counts once.
    change.total += dropped;
    dropped = 0;
    last = IsLast(change);
    if (last) {
      // The result lists only what holds more than d words.
      active.Keep(task_.sum, task_.list_limit);
    } else {
      active.Jump(task_.iterations);
      if (active.PaysToDrop(change.above_limit)) {
        dropped =
            WordsBelowLimit<Simd>(task_, active.size(), task_.active_prior, task_.active_gamma);
        active.Keep(task_.active_gamma, task_.drop_limit);
      }
    }
    active.UpdateWeights();
  }
  // The ratios of the last γ, for the statistic and for the check.
  active.Pass();
  if (!DroppedStayAway<Simd>(task_, active)) return Outcome::kDroppedTooMuch;
  WriteStatistic<Simd>(task_, active);
  return Outcome::kSolved;
}

template <class Simd>
typename DocumentSolver<Simd>::Outcome DocumentSolver<Simd>::FinishDense() {
  task_.num_listed = ListTopics<Simd>(task_, task_.sum, task_.list_limit);
  DensePass<Simd>(task_);
  for (size_t k = 0; k < task_.num_topics; k += kLanes) {
    largest_sum_ = Simd::Max(largest_sum_, Simd::Load(task_.sum + k));
  }
  if (!(Simd::Sum(largest_sum_) <= kLargestRatio)) return Outcome::kOutOfRange;
  WriteStatistic<Simd>(task_);
  return Outcome::kSolved;
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_KERNEL_DOCUMENT_SOLVER_H_
