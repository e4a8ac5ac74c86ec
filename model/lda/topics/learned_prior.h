// α learned from documents that the analyst owns: how common each topic is in them, and how mixed
// they are.
//
//   absl::StatusOr<LearnedPrior> learned = LearnDocumentTopicPrior(model, documents, {});
//
// What is maximised is the variational bound on log p(documents | topics, α), over α and every
// document's γ in turns (Blei, Ng and Jordan 2003, section 5.3): the E-step gives γ at the present
// α, and with S_k the mean of ψ(γ_dk) − ψ(Σ_j γ_dj) over documents, a few steps of
//   α_k ← ψ⁻¹(ψ(Σ_j α_j) + S_k)
// (Minka, "Estimating a Dirichlet distribution", 2000, eq. 9), none of which lowers the bound. The
// words are weighed by the mean topics, as they are when the model predicts.
//
// The bound is not what a model is used for: where half of these documents' words predict the other
// half worse under the α found (held_out_perplexity.h) than under the model's own, that one stays.
//
// A topic that no document has would go to 0 and never be found again: α stays at least a hundredth
// of what an even share would be.
//
// Errors: INVALID_ARGUMENT as held_out_perplexity.h; FAILED_PRECONDITION if no document has a word.
// Pure; the bits do not depend on num_threads. Documents are the analyst's own, and so is the
// result. Cost: max_rounds E-steps at most, with K digammas a document, and two
// completions.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_LEARNED_PRIOR_H_
#define TOPICWALL_MODEL_LDA_TOPICS_LEARNED_PRIOR_H_

#include "absl/status/statusor.h"
#include "model/data/document.h"
#include "model/lda/topics/dirichlet_prior.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

struct LearnedPriorOptions {
  int max_rounds = 100;
  double relative_change = 1e-3;  // Σ|Δα|/Σα below it ends the rounds
  int num_threads = 1;
};

struct LearnedPrior {
  DocumentTopicPrior prior;  // K numbers
  int rounds;
  bool is_kept;  // it is the model's own: the one found predicts worse
};

// Starts from the model's own α.
absl::StatusOr<LearnedPrior> LearnDocumentTopicPrior(const TopicModel& model,
                                                     const DocumentList& documents,
                                                     const LearnedPriorOptions& options);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_LEARNED_PRIOR_H_
