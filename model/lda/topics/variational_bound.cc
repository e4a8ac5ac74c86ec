// A document's bound is in two parts: what q(θ) differs from its prior (ExpectedLogTheta), and the
// evidence of each word under E[log θ] (LogWordEvidence).
#include "model/lda/topics/variational_bound.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/lda/math/dot_product.h"
#include "model/lda/math/exp_digamma.h"

namespace topicwall::lda {
namespace {

// log Γ(x); the reentrant form, since lgamma writes a global.
double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace

// E_q[log θ] of one document in the forms that a word's evidence needs, and what the prior and q
// of θ add to the bound: E_q[log p(θ | α)] − E_q[log q(θ | γ)].
struct DocumentBound::LogTheta {
  std::vector<double> values;
  std::vector<double> scaled;  // exp(value − largest)
  double largest = -HUGE_VAL;
  double prior_term = 0;
};

DocumentBound::DocumentBound(const EStep& e_step) : e_step_(e_step) {
  const DocumentTopicPrior& prior = e_step.options().document_topic_prior;
  double alpha_sum = 0, log_gammas = 0;
  for (size_t k = 0; k < static_cast<size_t>(e_step.num_topics()); ++k) {
    const auto unused = static_cast<float>(prior.of(k));
    priors_.push_back({.alpha = prior.of(k),
                       .unused_gamma = unused,
                       .unused_digamma = QuickDigamma(double{unused}),
                       .unused_log_gamma = LogGamma(double{unused})});
    alpha_sum += prior.of(k);
    log_gammas += LogGamma(prior.of(k));
  }
  log_normaliser_ = LogGamma(alpha_sum) - log_gammas;
}

DocumentBound::LogTheta DocumentBound::ExpectedLogTheta(absl::Span<const float> gamma) const {
  double gamma_sum = 0;
  for (const float entry : gamma) gamma_sum += double{entry};
  const double digamma_of_sum = Digamma(gamma_sum);
  LogTheta theta;
  theta.values.reserve(gamma.size());
  theta.scaled.reserve(gamma.size());
  for (size_t k = 0; k < gamma.size(); ++k) {
    const double entry = double{gamma[k]};
    const Prior& prior = priors_[k];
    // Most topics of a document have exactly the prior.
    const bool unused = gamma[k] == prior.unused_gamma;
    const double value = (unused ? prior.unused_digamma : QuickDigamma(entry)) - digamma_of_sum;
    const double log_gamma = unused ? prior.unused_log_gamma : LogGamma(entry);
    theta.values.push_back(value);
    theta.largest = std::max(theta.largest, value);
    // E_q[log p(θ|α)] − E_q[log q(θ|γ)] = Σ_k [(α_k − γ_k)·E[log θ_k] + log Γ(γ_k)] − log Γ(Σγ) +
    // log Γ(Σα) − Σ_k log Γ(α_k); the last three are added below.
    theta.prior_term += (prior.alpha - entry) * value + log_gamma;
  }
  theta.prior_term += log_normaliser_ - LogGamma(gamma_sum);
  for (size_t k = 0; k < theta.values.size(); ++k) {
    // Under a symmetric prior unused topics stand in long runs of one value.
    const bool again = k > 0 && theta.values[k] == theta.values[k - 1];
    theta.scaled.push_back(again ? theta.scaled.back() : std::exp(theta.values[k] - theta.largest));
  }
  return theta;
}

// log Σ_k exp(log θ_k + ℓ_kv), the E-step's weights standing for exp(ℓ_kv).
// With φ ∝ exp(E[log θ_k] + ℓ_kv), the best there is, Σ_k φ_k (E[log θ_k] + ℓ_kv − log φ_k) is the
// logarithm of the normaliser: q(z) need not be formed.
double DocumentBound::LogWordEvidence(const LogTheta& theta, uint32_t term) const {
  const absl::Span<const float> weights = e_step_.weights(term);
  double sum = DotProduct<float>(theta.scaled, weights.data());
  const double scale = double{e_step_.largest_log_weight(term)};
  if (sum > 1e-280) return scale + theta.largest + std::log(sum);
  // The word's own topics are all far below the document's: scaled by the largest of those.
  double largest = -HUGE_VAL;
  for (size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] > 0) largest = std::max(largest, theta.values[k]);
  }
  sum = 0;
  for (size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] > 0) sum += std::exp(theta.values[k] - largest) * double{weights[k]};
  }
  return scale + largest + std::log(sum);
}

double DocumentBound::operator()(DocumentView document, absl::Span<const float> gamma) const {
  const LogTheta theta = ExpectedLogTheta(gamma);
  double bound = theta.prior_term;
  for (const TermCount& entry : document) {
    bound += entry.count * LogWordEvidence(theta, entry.term);
  }
  return bound;
}

}  // namespace topicwall::lda
