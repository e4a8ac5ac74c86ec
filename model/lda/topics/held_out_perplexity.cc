// Both measures are one loop, SumOverDocuments: an E-step for each document, then a score. They
// differ in the form of the topics (E[log β] for the bound, the mean for completion) and in which
// of a document's words the E-step has seen.
#include "model/lda/topics/held_out_perplexity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/lda/math/dot_product.h"
#include "model/lda/topics/variational_bound.h"

namespace topicwall::lda {
namespace {

absl::StatusOr<EStep> HeldOutEStep(const TopicModel& model, const LogTopics& log_topics,
                                   const HeldOutOptions& options) {
  return EStep::Create(log_topics, UsualEStep(model.document_topic_prior(), options),
                       ChosenKernel(), options.num_threads);
}

// Σ score(document, workspace) over the documents that have a token to score. The sums of blocks
// are added up in their order, so that threads change no bits.
template <typename Score>
double SumOverDocuments(const DocumentList& scored, int num_threads, const Score& score) {
  constexpr size_t kDocumentsPerBlock = 256;
  const size_t num_blocks = (scored.size() + kDocumentsPerBlock - 1) / kDocumentsPerBlock;
  std::vector<double> sums(num_blocks, 0.0);
  std::vector<EStep::Workspace> workspaces(static_cast<size_t>(std::max(num_threads, 1)));
  ForEachBlock(num_blocks, num_threads, [&](size_t block, size_t thread) {
    const size_t end = std::min(scored.size(), (block + 1) * kDocumentsPerBlock);
    for (size_t i = block * kDocumentsPerBlock; i < end; ++i) {
      if (!scored[i].empty()) sums[block] += score(i, workspaces[thread]);
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// Mean topics as V×K: a word's entries lie side by side.
// Scoring takes one inner product over topics a word: by rows of topics each would be K cache
// lines.
std::vector<double> MeanTopicsByTerm(const TopicModel& model, int num_threads) {
  constexpr size_t kTermsPerBlock = 64;
  const auto topics = static_cast<size_t>(model.num_topics());
  const auto terms = static_cast<size_t>(model.vocabulary_size());
  std::vector<double> means(topics * terms);
  ForEachPart(terms, kTermsPerBlock, num_threads, [&](size_t begin, size_t end, size_t) {
    for (size_t k = 0; k < topics; ++k) {
      const int topic = static_cast<int>(k);
      for (size_t v = begin; v < end; ++v) {
        means[v * topics + k] = model.topic(topic)[v] / model.topic_sum(topic);
      }
    }
  });
  return means;
}

// One unseen word must not make the perplexity infinite.
double FlooredLog(double probability) { return std::log(std::max(probability, kProbabilityFloor)); }

// Of `scored` under θ = γ/Σγ and the mean topics (V×K).
// The mean of θ is enough: p(v) is linear in θ, so that its expectation under q is its value at the
// mean.
double LogLikelihood(DocumentView scored, absl::Span<const float> gamma,
                     absl::Span<const double> mean_topics) {
  std::vector<double> theta(gamma.begin(), gamma.end());
  const double gamma_sum = std::accumulate(theta.begin(), theta.end(), 0.0);
  for (double& share : theta) share /= gamma_sum;
  double total = 0;
  for (const TermCount& entry : scored) {
    total += entry.count *
             FlooredLog(DotProduct<double>(theta, mean_topics.data() + entry.term * theta.size()));
  }
  return total;
}

// Heads among `tosses` fair coins.
uint32_t CountHeads(uint32_t tosses, std::mt19937_64& engine) {
  uint32_t heads = 0;
  // A count of c tokens is c coins, drawn 64 at a time: std::binomial_distribution would differ
  // between standard libraries, and the split must be the same everywhere.
  for (; tosses >= 64; tosses -= 64) heads += static_cast<uint32_t>(std::popcount(engine()));
  if (tosses > 0) heads += static_cast<uint32_t>(std::popcount(engine() >> (64 - tosses)));
  return heads;
}

}  // namespace

EStepOptions UsualEStep(DocumentTopicPrior prior, const HeldOutOptions& options) {
  return {.document_topic_prior = std::move(prior),
          .max_iterations = options.max_iterations,
          .mean_change_threshold = options.mean_change_threshold};
}

absl::Status CheckScored(const DocumentList& documents, int64_t vocabulary_size) {
  TW_RETURN_IF_ERROR(CheckCanonical(documents, vocabulary_size));
  if (TokenCount(documents) > 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "documents must have at least one token of the vocabulary to score; got none");
}

absl::Status CheckSplit(const TokenSplit& split, int64_t vocabulary_size) {
  if (split.observed.size() != split.scored.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("both sides of a split must have the same number of documents; got ",
                     split.observed.size(), " and ", split.scored.size()));
  }
  absl::Status status = CheckCanonical(split.observed, vocabulary_size);
  return status.ok() ? CheckScored(split.scored, vocabulary_size) : status;
}

ScoredPerplexity PerplexityOf(double log_likelihood, const DocumentList& scored) {
  const int64_t tokens = TokenCount(scored);
  return {.perplexity = std::exp(-log_likelihood / static_cast<double>(tokens)), .tokens = tokens};
}

absl::StatusOr<ScoredPerplexity> ComputePerplexityBound(const TopicModel& model,
                                                        const DocumentList& documents,
                                                        const HeldOutOptions& options) {
  TW_RETURN_IF_ERROR(CheckScored(documents, model.vocabulary_size()));
  TW_ASSIGN_OR_RETURN(const EStep e_step,
                      HeldOutEStep(model, ExpectedLogBeta(model, options.num_threads), options));
  const DocumentBound bound_of(e_step);
  const double bound =
      SumOverDocuments(documents, options.num_threads, [&](size_t i, EStep::Workspace& workspace) {
        e_step.Infer(documents[i], workspace);
        return bound_of(documents[i], workspace.gamma());
      });
  return PerplexityOf(bound, documents);
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

// The E-step runs on the log of the mean topics, not on E[log β]: what is scored is Σ_k θ_k β_kv
// with the mean β, and θ is to be inferred under the same topics that predict.
absl::StatusOr<ScoredPerplexity> DocumentCompletionPerplexity(const TopicModel& model,
                                                              const TokenSplit& split,
                                                              const HeldOutOptions& options) {
  TW_RETURN_IF_ERROR(CheckSplit(split, model.vocabulary_size()));
  TW_ASSIGN_OR_RETURN(const EStep e_step,
                      HeldOutEStep(model, LogMeanTopics(model, options.num_threads), options));
  const std::vector<double> mean_topics = MeanTopicsByTerm(model, options.num_threads);
  const double log_likelihood = SumOverDocuments(
      split.scored, options.num_threads, [&](size_t i, EStep::Workspace& workspace) {
        e_step.Infer(split.observed[i], workspace);
        return LogLikelihood(split.scored[i], workspace.gamma(), mean_topics);
      });
  return PerplexityOf(log_likelihood, split.scored);
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
  TW_RETURN_IF_ERROR(CheckScored(scored, static_cast<int>(probabilities.size())));
  double log_likelihood = 0;
  for (const TermCount& entry : scored.entries) {
    log_likelihood += entry.count * FlooredLog(probabilities[entry.term]);
  }
  return PerplexityOf(log_likelihood, scored);
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
  TW_RETURN_IF_ERROR(CheckCanonical(documents, vocabulary_size));
  std::vector<double> probabilities(static_cast<size_t>(vocabulary_size), pseudo_count);
  for (const TermCount& entry : documents.entries) probabilities[entry.term] += entry.count;
  const double total = static_cast<double>(TokenCount(documents)) + vocabulary_size * pseudo_count;
  for (double& entry : probabilities) entry /= total;
  return probabilities;
}

}  // namespace topicwall::lda
