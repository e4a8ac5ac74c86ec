// How well topics predict one privacy unit: the statistic of an evaluation, before clipping.
//
//   CompletionScore score(&e_step);            // one per thread, reused
//   score.Reset();
//   for (each document of the unit) score.Add(halves.observed, halves.scored);
//   score.Write(&statistic);
//
// Document completion, as model/lda/topics/held_out_perplexity.h has it for documents of one's own:
// θ = γ/Σγ from the observed half under the topics ℓ that the analyst sent, the prior's mean where
// that half is empty, and then
//     A = −Σ_w c_w log min(max(Σ_k θ_k exp(ℓ_kw), 1e-12), 1),   n = Σ_w c_w
// over the scored half: nats and words. 0 <= A <= 27.7 n, since ℓ <= 0. NaN
// propagates into A, and the clip then drops the unit.
//
// Of a mixture θ is how likely each component is of the observed half
// (model/mixture/component_shares.h), π where that is empty: what
// model/mixture/mixture_perplexity.h has for documents of one's own.
// Bits: a function of (halves, ℓ, options, kernel name): no libm, no state of other units.
//
// Privacy: PRIVATE. Threads: one. Cost: an E-step of the observed half, and for each term of the
// other K multiplications and a logarithm. Measured at K = 50, token_halves.h included: 17 µs for a
// document of 70 words, where an E-step takes 7 because most topics die out; 92 µs for one of 500,
// where it takes 100.
#ifndef TOPICWALL_MODEL_COMPLETION_COMPLETION_SCORE_H_
#define TOPICWALL_MODEL_COMPLETION_COMPLETION_SCORE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/data/document.h"
#include "model/lda/math/array_math_choice.h"
#include "model/lda/topics/e_step.h"
#include "model/mixture/component_shares.h"
#include "model/mixture/responsibilities.h"
#include "model/sparse_statistic.h"

namespace topicwall::completion {

class CompletionScore {
 public:
  // `e_step` has the topics to judge; must outlive this.
  explicit CompletionScore(const lda::EStep* e_step)
      : e_step_(*e_step), math_(lda::FastestArrayMath()), num_terms_(e_step->vocabulary_size()) {}
  // Of a mixture, whose `components` outlive this, too: both of the same K×(V + 1) log weights, of
  // which the E-step's words alone are used.
  CompletionScore(const lda::EStep* e_step, const mixture::Responsibilities* components)
      : e_step_(*e_step),
        math_(lda::FastestArrayMath()),
        num_terms_(e_step->vocabulary_size() - 1),
        shares_(components) {}

  int num_terms() const { return num_terms_; }  // V

  // Takes and touches all that documents of up to so many distinct terms need.
  void Reserve(size_t num_terms);
  static size_t BytesReserved(size_t num_terms, size_t num_topics);
  static size_t BytesReservedOfMixture(size_t num_terms, size_t num_components);

  // Forgets the unit before.
  void Reset();

  // Adds one document. A side that is empty or not canonical over the vocabulary tells nothing.
  void Add(lda::DocumentView observed, lda::DocumentView scored);

  // (A, n), as columns 0 and 1 of one row.
  void Write(model::SparseStatistic* statistic) const;

 private:
  // θ of a document.
  void Observe(lda::DocumentView observed);
  double NegativeLog(uint32_t term) const;

  const lda::EStep& e_step_;
  const lda::ArrayMath& math_;
  const int num_terms_;                             // V
  std::optional<mixture::ComponentShares> shares_;  // of a mixture
  lda::EStep::Workspace workspace_;
  std::vector<double> theta_;  // of the last document
  double negative_log_likelihood_ = 0;
  double tokens_ = 0;
};

}  // namespace topicwall::completion

#endif  // TOPICWALL_MODEL_COMPLETION_COMPLETION_SCORE_H_
