#include "model/mixture/mixture_perplexity.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::mixture {

absl::StatusOr<FittedMixture> FittedMixture::Create(const lda::TopicModel& topics,
                                                    absl::Span<const double> weights) {
  const auto components = static_cast<size_t>(topics.num_topics());
  const auto terms = static_cast<size_t>(topics.vocabulary_size());
  const bool positive = std::all_of(weights.begin(), weights.end(),
                                    [](double w) { return w > 0 && std::isfinite(w); });
  if (weights.size() != components || !positive) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a mixture of ", components,
        " components must have as many weights, all finite and above 0; got ", weights.size()));
  }
  std::vector<double> probabilities((terms + 1) * components);
  for (size_t k = 0; k < components; ++k) {
    const int topic = static_cast<int>(k);
    for (size_t v = 0; v < terms; ++v) {
      // One word that no component has must not make a document impossible.
      probabilities[v * components + k] =
          std::max(topics.topic(topic)[v] / topics.topic_sum(topic), lda::kProbabilityFloor);
    }
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (size_t k = 0; k < components; ++k) {
    probabilities[terms * components + k] = weights[k] / sum;
  }
  return FittedMixture(components, std::move(probabilities));
}

double FittedMixture::Score(lda::DocumentView document, std::vector<double>* scores) const {
  const absl::Span<const double> weights = row(num_terms());
  scores->resize(num_components_);
  for (size_t k = 0; k < num_components_; ++k) (*scores)[k] = std::log(weights[k]);
  for (const lda::TermCount& entry : document) {
    const absl::Span<const double> term = row(entry.term);
    for (size_t k = 0; k < num_components_; ++k) (*scores)[k] += entry.count * std::log(term[k]);
  }
  // By the largest: a long document's likelihood is far below what a double holds.
  const double largest = *std::max_element(scores->begin(), scores->end());
  double sum = 0;
  for (const double score : *scores) sum += std::exp(score - largest);
  return largest + std::log(sum);
}

absl::StatusOr<lda::ScoredPerplexity> FittedMixture::Completion(
    const lda::TokenSplit& split) const {
  TW_RETURN_IF_ERROR(lda::CheckSplit(split, static_cast<int64_t>(num_terms())));
  double total = 0;
  for (size_t i = 0; i < split.scored.size(); ++i) {
    total += LogLikelihood(split.observed[i], split.scored[i]);
  }
  return lda::PerplexityOf(total, split.scored);
}

double FittedMixture::LogLikelihood(lda::DocumentView observed, lda::DocumentView scored) const {
  if (scored.empty()) return 0;
  // A document whose other half is empty is scored by π alone.
  const std::vector<double> shares = Shares(observed);
  double total = 0;
  for (const lda::TermCount& entry : scored) {
    const absl::Span<const double> term = row(entry.term);
    const double probability = std::inner_product(shares.begin(), shares.end(), term.begin(), 0.0);
    total += entry.count * std::log(std::max(probability, lda::kProbabilityFloor));
  }
  return total;
}

absl::StatusOr<lda::ScoredPerplexity> FittedMixture::Perplexity(
    const lda::DocumentList& documents) const {
  TW_RETURN_IF_ERROR(lda::CheckScored(documents, static_cast<int64_t>(num_terms())));
  double total = 0;
  std::vector<double> scores;
  for (size_t i = 0; i < documents.size(); ++i) {
    if (!documents[i].empty()) total += Score(documents[i], &scores);
  }
  return lda::PerplexityOf(total, documents);
}

std::vector<double> FittedMixture::Shares(lda::DocumentView document) const {
  std::vector<double> shares;
  const double log_sum = Score(document, &shares);
  for (double& share : shares) share = std::exp(share - log_sum);
  return shares;
}

Assignment FittedMixture::Assign(lda::DocumentView document) const {
  const std::vector<double> shares = Shares(document);
  // Of equal ones the first, so that the same document is always put in the same place.
  const auto most = std::max_element(shares.begin(), shares.end());
  return {.component = static_cast<size_t>(most - shares.begin()), .probability = *most};
}

}  // namespace topicwall::mixture
