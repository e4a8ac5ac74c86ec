#include "lda/held_out_perplexity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <random>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lda/e_step.h"
#include "lda/exp_digamma.h"

namespace topicwall::lda {
namespace {

absl::Status CheckDocuments(const DocumentList& documents, int vocabulary_size) {
  for (size_t i = 0; i < documents.size(); ++i) {
    if (!IsCanonical(documents[i], vocabulary_size)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "document ", i + 1, " must have distinct ascending terms below ", vocabulary_size,
          " with counts of at least 1. Count it over the model's vocabulary."));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckScored(const DocumentList& documents, int vocabulary_size) {
  if (absl::Status status = CheckDocuments(documents, vocabulary_size); !status.ok()) return status;
  if (TokenCount(documents) > 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "held-out documents must have at least one token of the vocabulary to score; got none");
}

absl::StatusOr<EStep> HeldOutEStep(const TopicModel& model, const LogTopics& log_topics,
                                   const HeldOutOptions& options) {
  return EStep::Create(log_topics, {.document_topic_prior = model.document_topic_prior(),
                                    .max_iterations = options.max_iterations,
                                    .mean_change_threshold = options.mean_change_threshold});
}

// log Γ(x); the reentrant form, since lgamma writes a global.
double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// E_q[log p(θ | α)] − E_q[log q(θ | γ)] for one document, with log_theta = E_q[log θ].
double ThetaTerm(absl::Span<const double> gamma, absl::Span<const double> log_theta, double alpha) {
  const auto topics = static_cast<double>(gamma.size());
  double gamma_sum = 0;
  double term = 0;
  for (size_t k = 0; k < gamma.size(); ++k) {
    gamma_sum += gamma[k];
    term += (alpha - gamma[k]) * log_theta[k] + LogGamma(gamma[k]) - LogGamma(alpha);
  }
  return term + LogGamma(topics * alpha) - LogGamma(gamma_sum);
}

// E_q[log θ] of one document in the forms that a word's evidence needs.
struct LogTheta {
  std::vector<double> values;
  std::vector<double> scaled;  // exp(value − largest)
  double largest = -HUGE_VAL;
};

LogTheta ExpectedLogTheta(absl::Span<const double> gamma) {
  double gamma_sum = 0;
  for (const double entry : gamma) gamma_sum += entry;
  const double digamma_of_sum = Digamma(gamma_sum);
  LogTheta theta;
  for (const double entry : gamma) {
    theta.values.push_back(QuickDigamma(entry) - digamma_of_sum);
    theta.largest = std::max(theta.largest, theta.values.back());
  }
  for (const double value : theta.values) theta.scaled.push_back(std::exp(value - theta.largest));
  return theta;
}

// log Σ_k exp(log θ_k + ℓ_kv), the E-step's weights standing for exp(ℓ_kv).
double LogWordEvidence(const LogTheta& theta, const EStep& e_step, uint32_t term) {
  const absl::Span<const float> weights = e_step.weights(term);
  double sum = 0;
  for (size_t k = 0; k < weights.size(); ++k) sum += theta.scaled[k] * double{weights[k]};
  const double scale = double{e_step.largest_log_weight(term)};
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

// The bound on log p(document | λ) at γ, the optimal q(z) put in.
double DocumentBound(DocumentView document, absl::Span<const float> gamma_single, double alpha,
                     const EStep& e_step) {
  const std::vector<double> gamma(gamma_single.begin(), gamma_single.end());
  const LogTheta theta = ExpectedLogTheta(gamma);
  double bound = ThetaTerm(gamma, theta.values, alpha);
  for (const TermCount& entry : document) {
    bound += entry.count * LogWordEvidence(theta, e_step, entry.term);
  }
  return bound;
}

double BetaPriorTerm(const TopicModel& model) {
  const double eta = model.topic_term_prior();
  const auto terms = static_cast<double>(model.vocabulary_size());
  double total = 0;
  for (int k = 0; k < model.num_topics(); ++k) {
    const double digamma_of_sum = Digamma(model.topic_sum(k));
    total += LogGamma(terms * eta) - LogGamma(model.topic_sum(k));
    for (const float parameter : model.topic(k)) {
      total += (eta - parameter) * (QuickDigamma(parameter) - digamma_of_sum) +
               LogGamma(parameter) - LogGamma(eta);
    }
  }
  return total;
}

// Mean topics as V×K: a word's entries lie side by side.
std::vector<double> MeanTopicsByTerm(const TopicModel& model) {
  const auto topics = static_cast<size_t>(model.num_topics());
  std::vector<double> means(topics * static_cast<size_t>(model.vocabulary_size()));
  for (int k = 0; k < model.num_topics(); ++k) {
    const absl::Span<const float> topic = model.topic(k);
    for (size_t v = 0; v < topic.size(); ++v) {
      means[v * topics + static_cast<size_t>(k)] = topic[v] / model.topic_sum(k);
    }
  }
  return means;
}

double FlooredLog(double probability) { return std::log(std::max(probability, kProbabilityFloor)); }

// Heads among `tosses` fair coins.
uint32_t CountHeads(uint32_t tosses, std::mt19937_64& engine) {
  uint32_t heads = 0;
  for (; tosses >= 64; tosses -= 64) heads += static_cast<uint32_t>(std::popcount(engine()));
  if (tosses > 0) heads += static_cast<uint32_t>(std::popcount(engine() >> (64 - tosses)));
  return heads;
}

}  // namespace

absl::StatusOr<PerplexityBound> ComputePerplexityBound(const TopicModel& model,
                                                       const DocumentList& documents,
                                                       const HeldOutOptions& options) {
  absl::Status status = CheckScored(documents, model.vocabulary_size());
  if (!status.ok()) return status;
  const absl::StatusOr<EStep> e_step = HeldOutEStep(model, ExpectedLogBeta(model), options);
  if (!e_step.ok()) return e_step.status();
  EStep::Workspace workspace;
  double bound = 0;
  for (size_t i = 0; i < documents.size(); ++i) {
    if (documents[i].empty()) continue;
    e_step->Infer(documents[i], workspace);
    bound += DocumentBound(documents[i], workspace.gamma(), model.document_topic_prior(), *e_step);
  }
  const int64_t tokens = TokenCount(documents);
  return PerplexityBound{.perplexity = std::exp(-bound / static_cast<double>(tokens)),
                         .tokens = tokens,
                         .beta_prior_term = BetaPriorTerm(model)};
}

TokenSplit SplitTokens(const DocumentList& documents, uint64_t seed) {
  std::mt19937_64 engine(seed);
  TokenSplit split;
  std::vector<TermCount> observed, scored;
  for (size_t i = 0; i < documents.size(); ++i) {
    observed.clear();
    scored.clear();
    for (const TermCount& entry : documents[i]) {
      const uint32_t heads = CountHeads(entry.count, engine);
      if (heads > 0) observed.push_back({.term = entry.term, .count = heads});
      if (heads < entry.count) scored.push_back({.term = entry.term, .count = entry.count - heads});
    }
    split.observed.Append(observed);
    split.scored.Append(scored);
  }
  return split;
}

absl::StatusOr<ScoredPerplexity> DocumentCompletionPerplexity(const TopicModel& model,
                                                              const TokenSplit& split,
                                                              const HeldOutOptions& options) {
  if (split.observed.size() != split.scored.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("both sides of a split must have the same number of documents; got ",
                     split.observed.size(), " and ", split.scored.size()));
  }
  for (const absl::Status& status : {CheckDocuments(split.observed, model.vocabulary_size()),
                                     CheckScored(split.scored, model.vocabulary_size())}) {
    if (!status.ok()) return status;
  }
  const absl::StatusOr<EStep> e_step = HeldOutEStep(model, LogMeanTopics(model), options);
  if (!e_step.ok()) return e_step.status();
  const std::vector<double> mean_topics = MeanTopicsByTerm(model);
  EStep::Workspace workspace;
  double log_likelihood = 0;
  for (size_t i = 0; i < split.scored.size(); ++i) {
    if (split.scored[i].empty()) continue;
    e_step->Infer(split.observed[i], workspace);
    double gamma_sum = 0;
    for (const float entry : workspace.gamma()) gamma_sum += entry;
    for (const TermCount& entry : split.scored[i]) {
      const double* means = mean_topics.data() + entry.term * workspace.gamma().size();
      double probability = 0;
      for (size_t k = 0; k < workspace.gamma().size(); ++k) {
        probability += double{workspace.gamma()[k]} / gamma_sum * means[k];
      }
      log_likelihood += entry.count * FlooredLog(probability);
    }
  }
  const int64_t tokens = TokenCount(split.scored);
  return ScoredPerplexity{.perplexity = std::exp(-log_likelihood / static_cast<double>(tokens)),
                          .tokens = tokens};
}

absl::StatusOr<ScoredPerplexity> UnigramPerplexity(absl::Span<const double> probabilities,
                                                   const DocumentList& scored) {
  double sum = 0;
  bool negative = false;
  for (const double probability : probabilities) {
    negative = negative || !(probability >= 0);
    sum += probability;
  }
  if (negative || !(std::fabs(sum - 1) <= 1e-6)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "probabilities must be at least 0 and sum to 1 within 1e-6; got a sum of ", sum));
  }
  absl::Status status = CheckScored(scored, static_cast<int>(probabilities.size()));
  if (!status.ok()) return status;
  double log_likelihood = 0;
  for (const TermCount& entry : scored.entries) {
    log_likelihood += entry.count * FlooredLog(probabilities[entry.term]);
  }
  const int64_t tokens = TokenCount(scored);
  return ScoredPerplexity{.perplexity = std::exp(-log_likelihood / static_cast<double>(tokens)),
                          .tokens = tokens};
}

std::vector<double> MarginalTermProbabilities(const TopicModel& model) {
  std::vector<double> marginal(static_cast<size_t>(model.vocabulary_size()), 0.0);
  double total = 0;
  for (int k = 0; k < model.num_topics(); ++k) {
    total += model.topic_sum(k);
    for (size_t v = 0; v < marginal.size(); ++v) marginal[v] += double{model.topic(k)[v]};
  }
  for (double& entry : marginal) entry /= total;
  return marginal;
}

absl::StatusOr<std::vector<double>> SmoothedTermProbabilities(const DocumentList& documents,
                                                              int vocabulary_size,
                                                              double pseudo_count) {
  if (vocabulary_size < 1 || !(pseudo_count > 0 && std::isfinite(pseudo_count))) {
    return absl::InvalidArgumentError(
        absl::StrCat("vocabulary_size must be at least 1 and pseudo_count finite and above 0; got ",
                     vocabulary_size, " and ", pseudo_count));
  }
  absl::Status status = CheckDocuments(documents, vocabulary_size);
  if (!status.ok()) return status;
  std::vector<double> probabilities(static_cast<size_t>(vocabulary_size), pseudo_count);
  for (const TermCount& entry : documents.entries) probabilities[entry.term] += entry.count;
  const double total = static_cast<double>(TokenCount(documents)) + vocabulary_size * pseudo_count;
  for (double& entry : probabilities) entry /= total;
  return probabilities;
}

}  // namespace topicwall::lda
