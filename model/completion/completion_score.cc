#include "model/completion/completion_score.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "model/lda/math/dot_product.h"

namespace topicwall::completion {
namespace {

constexpr double kMostNats = 27.631021115928547;  // -log(lda::kProbabilityFloor)
constexpr double kLeastArgument = 1e-300;         // a logarithm that is in its domain

}  // namespace

void CompletionScore::Reserve(size_t num_terms) {
  theta_.resize(static_cast<size_t>(e_step_.num_topics()));
  if (shares_.has_value()) return shares_->Reserve(num_terms);
  e_step_.Reserve(num_terms, workspace_);
}

size_t CompletionScore::BytesReserved(size_t num_terms, size_t num_topics) {
  return lda::EStep::BytesReserved(num_terms, num_topics) + num_topics * sizeof(double);
}

size_t CompletionScore::BytesReservedOfMixture(size_t num_terms, size_t num_components) {
  return mixture::ComponentShares::BytesReserved(num_terms, num_components) +
         num_components * sizeof(double);
}

void CompletionScore::Reset() { negative_log_likelihood_ = tokens_ = 0; }

void CompletionScore::Add(lda::DocumentView observed, lda::DocumentView scored) {
  if (scored.empty() || !lda::IsCanonical(scored, num_terms_)) return;
  Observe(observed);
  for (const lda::TermCount& entry : scored) {
    negative_log_likelihood_ += entry.count * NegativeLog(entry.term);
    tokens_ += entry.count;
  }
}

void CompletionScore::Observe(lda::DocumentView observed) {
  if (shares_.has_value()) return shares_->Fill(observed, &theta_);
  // An empty or unusable half leaves γ = α: θ is then the prior's mean, and the words are scored
  // all the same.
  e_step_.Infer(observed, workspace_);
  theta_.assign(workspace_.gamma().begin(), workspace_.gamma().end());
  const double sum = std::accumulate(theta_.begin(), theta_.end(), 0.0);
  for (double& share : theta_) share /= sum;
}

// The clamp of the logarithm, so that no exponential is needed.
double CompletionScore::NegativeLog(uint32_t term) const {
  const double relative = lda::DotProduct<float>(theta_, e_step_.weights(term).data());
  // First: the logarithm is made for positive numbers, and of NaN it may make a number.
  if (std::isnan(relative)) return relative;
  // relative = Σ_k θ_k b_kw is p(w) over its word's scale exp(max_k ℓ_kw); its logarithm is added
  // back.
  const double logarithm = math_.log(std::max(relative, kLeastArgument));
  return std::clamp(-(double{e_step_.largest_log_weight(term)} + logarithm), 0.0, kMostNats);
}

void CompletionScore::Write(model::SparseStatistic* statistic) const {
  statistic->columns = {0, 1};
  statistic->rows = {0};
  statistic->values = {static_cast<float>(negative_log_likelihood_), static_cast<float>(tokens_)};
}

}  // namespace topicwall::completion
