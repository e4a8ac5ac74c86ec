#include "model/lda/denoise/warm_start.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/denoise/first_topics.h"
#include "model/lda/denoise/noisy_topics.h"
#include "model/lda/math/array_math_choice.h"
#include "model/lda/topics/log_topics.h"

namespace topicwall::lda {
namespace {

constexpr double kUnigramShare = 0.02;
constexpr int kEmSteps = 50;

absl::Status Check(const WarmStartParams& params) {
  const auto terms = static_cast<int>(params.term_probabilities.size());
  TW_RETURN_IF_ERROR(CheckTopicShape(params.num_topics, terms));
  TW_RETURN_IF_ERROR(CheckTermProbabilities(params.term_probabilities, terms));
  const size_t given = params.topics.size() / params.term_probabilities.size();
  if (given < 1 || params.topics.size() % params.term_probabilities.size() != 0 ||
      given > static_cast<size_t>(params.num_topics)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "topics must be rows of ", terms, " terms, at least one and at most num_topics, ",
        params.num_topics, "; got ", params.topics.size(), " entries."));
  }
  for (const float entry : params.topics) {
    if (entry >= 0 && std::isfinite(entry)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("entries of topics must be finite and at least 0; got ", entry, "."));
  }
  return absl::OkStatus();
}

// The share of p on terms that any of the topics has; marks the others.
double Coverage(const WarmStartParams& params, std::vector<bool>* known) {
  const size_t terms = params.term_probabilities.size();
  known->assign(terms, false);
  for (size_t i = 0; i < params.topics.size(); ++i) {
    if (params.topics[i] > 0) (*known)[i % terms] = true;
  }
  double coverage = 0;
  for (size_t v = 0; v < terms; ++v) {
    if ((*known)[v]) coverage += params.term_probabilities[v];
  }
  return coverage;
}

// J×V distributions that share p on what the topics do not know.
absl::StatusOr<std::vector<double>> Completed(const WarmStartParams& params, double coverage,
                                              const std::vector<bool>& known) {
  const absl::Span<const double> p = params.term_probabilities;
  std::vector<double> topics;
  topics.reserve(params.topics.size());
  for (size_t begin = 0; begin < params.topics.size(); begin += p.size()) {
    const absl::Span<const float> row = params.topics.subspan(begin, p.size());
    const double sum = FastestArrayMath().sum(row.data(), row.size());
    if (!(sum > 0 && std::isfinite(sum))) {
      return absl::InvalidArgumentError(
          absl::StrCat("every topic must have a word of the vocabulary; got none in topic ",
                       begin / p.size(), " (counted from 0)."));
    }
    // Sums to 1: known terms to (1 − u)·coverage + u·coverage, the others to 1 − coverage.
    const double scale = (1 - kUnigramShare) * coverage / sum;
    for (size_t v = 0; v < p.size(); ++v) {
      topics.push_back(known[v] ? scale * row[v] + kUnigramShare * p[v] : p[v]);
    }
  }
  return topics;
}

// m for the weights π.
std::vector<double> Mixture(const std::vector<double>& topics, const std::vector<double>& weights,
                            size_t terms) {
  std::vector<double> mixture(terms, 0.0);
  for (size_t i = 0; i < topics.size(); ++i) mixture[i % terms] += weights[i / terms] * topics[i];
  return mixture;
}

// m at the end of EM.
// π_j ← π_j Σ_v p_v β_jv/m_v keeps Σπ = 1 by itself, and never raises KL(p ‖ m). Every m_v is above
// 0, as each topic has a share of p.
std::vector<double> FittedMixture(const std::vector<double>& topics, absl::Span<const double> p) {
  const size_t count = topics.size() / p.size();
  std::vector<double> weights(count, 1.0 / static_cast<double>(count));
  for (int step = 0; step < kEmSteps; ++step) {
    const std::vector<double> mixture = Mixture(topics, weights, p.size());
    for (size_t j = 0; j < count; ++j) {
      double factor = 0;
      for (size_t v = 0; v < p.size(); ++v) factor += p[v] / mixture[v] * topics[j * p.size() + v];
      weights[j] *= factor;
    }
  }
  return Mixture(topics, weights, p.size());
}

double Divergence(absl::Span<const double> p, const std::vector<double>& mixture) {
  double divergence = 0;
  for (size_t v = 0; v < p.size(); ++v) {
    divergence += p[v] * FastestArrayMath().log(p[v] / mixture[v]);
  }
  return divergence;
}

// Those given, tilted to p, and random ones after them.
absl::StatusOr<std::vector<float>> FirstTopics(const WarmStartParams& params,
                                               const std::vector<double>& topics,
                                               const std::vector<double>& mixture) {
  const absl::Span<const double> p = params.term_probabilities;
  TW_ASSIGN_OR_RETURN(std::vector<float> first, DrawnTopics({.num_topics = params.num_topics,
                                                             .term_probabilities = p,
                                                             .seed = params.seed,
                                                             .gamma_shape = params.gamma_shape}));
  for (size_t i = 0; i < topics.size(); ++i) {
    const size_t v = i % p.size();
    const double entry = topics[i] / mixture[v] * p[v];
    first[i] = std::max(static_cast<float>(entry), std::numeric_limits<float>::min());
  }
  return first;
}

}  // namespace

absl::StatusOr<WarmStart> TryWarmStart(const WarmStartParams& params) {
  TW_RETURN_IF_ERROR(Check(params));
  std::vector<bool> known;
  const double coverage = Coverage(params, &known);
  TW_ASSIGN_OR_RETURN(const std::vector<double> topics, Completed(params, coverage, known));
  const std::vector<double> mixture = FittedMixture(topics, params.term_probabilities);
  WarmStart start = {.divergence = Divergence(params.term_probabilities, mixture),
                     .coverage = coverage,
                     .fits = false,
                     .topics = {}};
  // Both: topics that know few terms are completed by p itself, which makes their KL small.
  start.fits = start.divergence <= kMostDivergence && coverage >= kLeastCoverage;
  if (!start.fits) return start;
  TW_ASSIGN_OR_RETURN(start.topics, FirstTopics(params, topics, mixture));
  return start;
}

}  // namespace topicwall::lda
