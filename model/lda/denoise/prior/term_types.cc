// EM with two hidden things a term: its type, and given that a ratio for each of its entries. The
// E-step weighs types by the product over a term's K entries (Posterior), then each entry's ratios
// within the type; the M-step normalises the expected counts. Counts begin at 1, the
// pseudo-entries: without them a weight that once reached 0 would stay there.
#include "model/lda/denoise/prior/term_types.h"

#include <algorithm>
#include <cmath>

#include "model/lda/math/array_math_choice.h"
#include "model/lda/math/portable_exp.h"

namespace topicwall::lda {
namespace {

// How fast the start of the most even type falls with |ln R|.
constexpr double kEvenness = 1.5;
// Of a product of many factors a logarithm is taken when it falls below: a factor, a weighted sum
// with a likelihood of 1 in it, is above 1e-100 by far.
constexpr double kSmallestProduct = 1e-100;

double Dot(absl::Span<const double> weights, const float* likelihoods) {
  double sum = 0;
  for (size_t j = 0; j < weights.size(); ++j) sum += weights[j] * likelihoods[j];
  return sum;
}

void DivideBySum(double* x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += x[i];
  for (size_t i = 0; i < n; ++i) x[i] /= sum;
}

}  // namespace

TermTypes::TermTypes(absl::Span<const double> log_ratios, int num_types)
    : num_ratios_(log_ratios.size()),
      shares_(static_cast<size_t>(num_types), 1.0 / num_types),
      weights_(shares_.size() * num_ratios_) {
  for (size_t s = 0; s < shares_.size(); ++s) {
    const double steps_to_flat = static_cast<double>(shares_.size() - 1 - s);
    const double fall = num_types > 1 ? kEvenness * steps_to_flat / (num_types - 1) : 0;
    double* const weights = weights_.data() + s * num_ratios_;
    for (size_t j = 0; j < num_ratios_; ++j) {
      weights[j] = PortableExp(-fall * std::fabs(log_ratios[j]));
    }
    DivideBySum(weights, num_ratios_);
  }
}

void TermTypes::Posterior(absl::Span<const float> likelihoods,
                          std::vector<double>* posterior) const {
  posterior->assign(num_types(), 1.0);
  if (num_types() == 1) return;
  for (size_t s = 0; s < num_types(); ++s) {
    // A product of hundreds of factors underflows, a logarithm for each factor would cost more than
    // all the rest: so one when it is due.
    double log = 0, product = shares_[s];
    for (size_t at = 0; at < likelihoods.size(); at += num_ratios_) {
      product *= Dot(weights(s), likelihoods.data() + at);
      if (product < kSmallestProduct) {
        log += FastestArrayMath().log(product);
        product = 1;
      }
    }
    (*posterior)[s] = log + FastestArrayMath().log(product);
  }
  const double largest = *std::max_element(posterior->begin(), posterior->end());
  for (double& p : *posterior) p = PortableExp(p - largest);
  DivideBySum(posterior->data(), posterior->size());
}

void TermTypes::Believe(absl::Span<const double> posterior, const float* likelihoods,
                        absl::Span<double> belief) const {
  std::fill(belief.begin(), belief.end(), 0.0);
  for (size_t s = 0; s < num_types(); ++s) {
    const double sum = Dot(weights(s), likelihoods);
    for (size_t j = 0; j < belief.size(); ++j) {
      // P(type | column)·P(ratio | type, entry). The type's posterior already contains this entry,
      // once.
      belief[j] += posterior[s] / sum * weights(s)[j] * likelihoods[j];
    }
  }
}

TermTypes TermTypes::Fit(const EntryLikelihoods& likelihoods, absl::Span<const double> log_ratios,
                         int num_types, int iterations) {
  TermTypes types(log_ratios, num_types);
  const size_t ratios = types.num_ratios_, per_term = likelihoods.num_topics * ratios;
  std::vector<double> posterior, terms_of(types.num_types()), counts(types.weights_.size());
  for (int i = 0; i < iterations; ++i) {
    std::fill(terms_of.begin(), terms_of.end(), 1.0);
    std::fill(counts.begin(), counts.end(), 1.0);
    for (size_t at = 0; at < likelihoods.values.size(); at += per_term) {
      types.Posterior(absl::MakeConstSpan(likelihoods.values).subspan(at, per_term), &posterior);
      for (size_t s = 0; s < types.num_types(); ++s) {
        terms_of[s] += posterior[s];
        // Adds nothing that a count of 1 would notice, and most terms are of one type.
        if (posterior[s] < 1e-9) continue;
        const absl::Span<const double> weights = types.weights(s);
        for (size_t entry = at; entry < at + per_term; entry += ratios) {
          const float* const likelihood = likelihoods.values.data() + entry;
          const double factor = posterior[s] / Dot(weights, likelihood);
          for (size_t j = 0; j < ratios; ++j) {
            counts[s * ratios + j] += factor * weights[j] * likelihood[j];
          }
        }
      }
    }
    DivideBySum(terms_of.data(), terms_of.size());
    types.shares_ = terms_of;
    for (size_t s = 0; s < types.num_types(); ++s) DivideBySum(counts.data() + s * ratios, ratios);
    types.weights_ = counts;
  }
  return types;
}

}  // namespace topicwall::lda
