// How well a mixture predicts documents that it was not fitted to, and which components they are
// of. Lower is better; the analyst's own documents.
//
//   absl::StatusOr<FittedMixture> mixture = FittedMixture::Create(topics, weights);
//   mixture->Completion(lda::SplitTokens(documents, /*seed=*/1));   // beside that of LDA
//   mixture->Perplexity(documents);                                  // of whole documents
//   mixture->Assign(documents[i]);
//
// Completion: the component from one half of a document's words, the other half scored under
// Σ_k r_k φ_kv, by the same rule as model/lda/topics/held_out_perplexity.h, so that both can be
// compared. Perplexity: exp(−Σ log p(document)/words), with p exact: all words of a document at
// once, of which its first tell the component of the others. Not comparable with completion.
//
// Errors: INVALID_ARGUMENT if a document is not canonical over the vocabulary, FAILED_PRECONDITION
// if there is no word to score. PUBLIC. Threads: const use from many. Cost: K·n of a document.
#ifndef TOPICWALL_MODEL_MIXTURE_MIXTURE_PERPLEXITY_H_
#define TOPICWALL_MODEL_MIXTURE_MIXTURE_PERPLEXITY_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/data/document.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::mixture {

struct Assignment {
  size_t component;    // the most probable, the first of equal ones
  double probability;  // r of it
};

class FittedMixture {
 public:
  // φ: the mean topics of `topics`; π: K weights > 0, here made to sum to 1. INVALID_ARGUMENT for
  // another number of them.
  static absl::StatusOr<FittedMixture> Create(const lda::TopicModel& topics,
                                              absl::Span<const double> weights);

  absl::StatusOr<lda::ScoredPerplexity> Completion(const lda::TokenSplit& split) const;
  // Of one document's scored half; both are canonical.
  double LogLikelihood(lda::DocumentView observed, lda::DocumentView scored) const;
  absl::StatusOr<lda::ScoredPerplexity> Perplexity(const lda::DocumentList& documents) const;
  // Of a document without a word: by π. `document` is canonical.
  Assignment Assign(lda::DocumentView document) const;
  // r of every component, K numbers whose sum is 1; as Assign.
  std::vector<double> Shares(lda::DocumentView document) const;

 private:
  FittedMixture(size_t num_components, std::vector<double> term_major)
      : num_components_(num_components), probabilities_(std::move(term_major)) {}

  size_t num_terms() const { return probabilities_.size() / num_components_ - 1; }  // V
  absl::Span<const double> row(size_t term) const {
    return absl::MakeConstSpan(probabilities_).subspan(term * num_components_, num_components_);
  }
  // log π_k + Σ c_v log φ_kv, and log Σ_k exp of them.
  double Score(lda::DocumentView document, std::vector<double>* scores) const;

  size_t num_components_;
  std::vector<double> probabilities_;  // (V + 1)×K: φ by terms, then π
};

}  // namespace topicwall::mixture

#endif  // TOPICWALL_MODEL_MIXTURE_MIXTURE_PERPLEXITY_H_
