// How well a model predicts documents that it was not fitted to. Lower is better; V for a coin with
// V sides. Perplexity = exp(−log-likelihood / tokens), natural base, on documents the analyst owns.
//
// Two measures, and the unigram to hold beside both:
//  · The paper's bound (its "upper bound on the perplexity"): comparable with published figures,
//    but each document's topics are fitted to the very words that are scored.
//  · Document completion: topics from half of a document's tokens, the other half scored under the
//    mean topics. The honest one for comparing methods, fitted by any rule.
//
//   TokenSplit split = SplitTokens(documents, /*seed=*/1);
//   DocumentCompletionPerplexity(model, split, options);
//   UnigramPerplexity(MarginalTermProbabilities(model), split.scored);
//
// Zero probabilities: a term counts as at least kProbabilityFloor likely in all of these, so that
// one unseen word costs 27.6 nats instead of everything. (Mean topics of a model are never that
// small in practice, η being in every entry.)
//
// Errors: INVALID_ARGUMENT if a document is not canonical over the model's vocabulary (by number
// from 1), if probabilities are no distribution or options are out of range; FAILED_PRECONDITION if
// there is no token to score. Threads: pure functions, on up to HeldOutOptions::num_threads; the
// bits do not depend on how many. Documents are the caller's. Cost: one E-step (the same kernels as
// everywhere), and about as much again for the bound; its prior term takes K·V digammas and
// log-gammas on top.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_HELD_OUT_PERPLEXITY_H_
#define TOPICWALL_MODEL_LDA_TOPICS_HELD_OUT_PERPLEXITY_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/data/document.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

inline constexpr double kProbabilityFloor = 1e-12;

// Of the E-step over documents of one's own; α is the model's. As it is by itself it runs until
// nothing changes any more: cut short, it can make a model look worse than it is.
struct HeldOutOptions {
  int max_iterations = 100;
  double mean_change_threshold = 1e-3;
  int num_threads = 1;  // below 1 counts as 1
};
EStepOptions UsualEStep(DocumentTopicPrior prior, const HeldOutOptions& options = {});

struct ScoredPerplexity {
  double perplexity;
  int64_t tokens;  // scored
};

// exp(−(Σ_i E_q[log p(n_i, θ_i, z_i | λ)] − E_q[log q(θ_i, z_i)]) / Σ n): the formula in the
// paper's section on experiments, with ⟨log β⟩ as the E-step takes it. Any γ gives a bound, so that
// the precision of the E-step moves it only in second order. An upper bound on
// exp(−log p(documents | λ) / tokens), β integrated out in q; what belongs to the topics and not to
// these documents, E_q[log p(β)] − E_q[log q(β | λ)], is not in it.
absl::StatusOr<ScoredPerplexity> ComputePerplexityBound(const TopicModel& model,
                                                        const DocumentList& documents,
                                                        const HeldOutOptions& options);

// The same documents twice: each token went to one side by a fair coin. A side may be empty.
struct TokenSplit {
  DocumentList observed;
  DocumentList scored;
};

// Depends on the seed and on the documents in their order (a Mersenne twister: the same
// everywhere).
TokenSplit SplitTokens(const DocumentList& documents, uint64_t seed);

// What a measure of its own begins and ends with. FAILED_PRECONDITION without a token to score;
// both sides of a split must be as many.
absl::Status CheckScored(const DocumentList& documents, int64_t vocabulary_size);
absl::Status CheckSplit(const TokenSplit& split, int64_t vocabulary_size);
ScoredPerplexity PerplexityOf(double log_likelihood, const DocumentList& scored);

// θ = γ/Σγ from `observed` under the mean topics, then p(v) = Σ_k θ_k β_kv for `scored`. Where
// nothing was observed θ = α/Σα.
absl::StatusOr<ScoredPerplexity> DocumentCompletionPerplexity(const TopicModel& model,
                                                              const TokenSplit& split,
                                                              const HeldOutOptions& options);

// Under one distribution for all documents. `probabilities`: V entries >= 0 with a sum of 1 within
// 1e-6.
absl::StatusOr<ScoredPerplexity> UnigramPerplexity(absl::Span<const double> probabilities,
                                                   const DocumentList& scored);

// Σ_k λ_kv / Σ_kv λ_kv: the unigram that a model carries in itself. Sums to 1.
std::vector<double> MarginalTermProbabilities(const TopicModel& model);

// (count_v + pseudo_count) / (tokens + V·pseudo_count), for public text. INVALID_ARGUMENT unless
// pseudo_count is finite and > 0, V >= 1 and the documents are canonical.
absl::StatusOr<std::vector<double>> SmoothedTermProbabilities(const DocumentList& documents,
                                                              int vocabulary_size,
                                                              double pseudo_count);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_HELD_OUT_PERPLEXITY_H_
