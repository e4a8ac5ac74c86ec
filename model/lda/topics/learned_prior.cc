// Rounds of two parts: the E-step under the present α gives S, the documents' mean E[log θ]; then
// some steps of Minka's fixed point, which costs K inverse digammas and no document. The table of
// topics is handed from round to round, since only α changes.
#include "model/lda/topics/learned_prior.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "model/lda/math/exp_digamma.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/held_out_perplexity.h"

namespace topicwall::lda {
namespace {

constexpr int kStepsPerRound = 20;
constexpr double kLeastPriorShare = 0.01;
constexpr double kLargestPrior = 1e3;  // that a plan may have

// ψ⁻¹ within [kMinPrior, kLargestPrior], to a relative 1e-9.
double InverseDigamma(double value) {
  // Bisection in ln α: near 0 ψ(α) is −1/α, on which Newton's steps from afar overshoot below 0.
  double low = std::log(kMinPrior), high = std::log(kLargestPrior);
  for (int i = 0; i < 36; ++i) {
    const double middle = 0.5 * (low + high);
    (QuickDigamma(std::exp(middle)) < value ? low : high) = middle;
  }
  return std::exp(high);
}

double SumOf(absl::Span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

absl::Status CheckDocuments(const DocumentList& documents, int vocabulary_size) {
  TW_RETURN_IF_ERROR(CheckCanonical(documents, vocabulary_size));
  if (TokenCount(documents) > 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "documents must have at least one token of the vocabulary to learn from; got none");
}

// S: the mean of E[log θ] over the documents that have a word. Sums of blocks are added up in their
// order.
std::vector<double> MeanLogTheta(const EStep& e_step, const DocumentList& documents,
                                 int num_threads) {
  constexpr size_t kDocumentsPerBlock = 256;
  const auto topics = static_cast<size_t>(e_step.num_topics());
  const size_t num_blocks = (documents.size() + kDocumentsPerBlock - 1) / kDocumentsPerBlock;
  std::vector<std::vector<double>> sums(num_blocks, std::vector<double>(topics + 1, 0.0));
  std::vector<EStep::Workspace> workspaces(static_cast<size_t>(std::max(num_threads, 1)));
  ForEachBlock(num_blocks, num_threads, [&](size_t block, size_t thread) {
    EStep::Workspace& workspace = workspaces[thread];
    std::vector<double>& sum = sums[block];
    const size_t end = std::min(documents.size(), (block + 1) * kDocumentsPerBlock);
    for (size_t i = block * kDocumentsPerBlock; i < end; ++i) {
      if (documents[i].empty()) continue;
      e_step.Infer(documents[i], workspace);
      double gamma_sum = 0;
      for (const float gamma : workspace.gamma()) gamma_sum += double{gamma};
      const double log_sum = QuickDigamma(gamma_sum);
      for (size_t k = 0; k < topics; ++k) {
        sum[k] += QuickDigamma(double{workspace.gamma()[k]}) - log_sum;
      }
      sum[topics] += 1;
    }
  });
  std::vector<double> means(topics + 1, 0.0);
  for (const std::vector<double>& sum : sums) {
    for (size_t k = 0; k <= topics; ++k) means[k] += sum[k];
  }
  const double num_documents = means.back();
  means.pop_back();
  for (double& mean : means) mean /= num_documents;
  return means;
}

std::vector<double> Improved(std::vector<double> alphas, absl::Span<const double> mean_logs) {
  for (int step = 0; step < kStepsPerRound; ++step) {
    const double log_sum = QuickDigamma(SumOf(alphas));
    for (size_t k = 0; k < alphas.size(); ++k) alphas[k] = InverseDigamma(log_sum + mean_logs[k]);
  }
  // After the steps, not within: a raised α would enter the sum of the next step, which would then
  // no longer be Minka's.
  const double least = kLeastPriorShare * SumOf(alphas) / static_cast<double>(alphas.size());
  for (double& alpha : alphas) alpha = std::max({alpha, least, kMinPrior});
  return alphas;
}

// Whether the documents are completed worse under `prior` than under the model's own α.
absl::StatusOr<bool> CompletesWorse(const TopicModel& model, const DocumentTopicPrior& prior,
                                    const DocumentList& documents, int num_threads) {
  TW_ASSIGN_OR_RETURN(TopicModel learned, TopicModel(model).WithDocumentTopicPrior(prior));
  const TokenSplit split = SplitTokens(documents, /*seed=*/1);
  // By chance the few words there are may all be on one side: nothing speaks against α then.
  if (TokenCount(split.scored) == 0) return false;
  const HeldOutOptions options = {.num_threads = num_threads};
  TW_ASSIGN_OR_RETURN(const auto before, DocumentCompletionPerplexity(model, split, options));
  TW_ASSIGN_OR_RETURN(const auto after, DocumentCompletionPerplexity(learned, split, options));
  return after.perplexity > before.perplexity;
}

}  // namespace

absl::StatusOr<LearnedPrior> LearnDocumentTopicPrior(const TopicModel& model,
                                                     const DocumentList& documents,
                                                     const LearnedPriorOptions& options) {
  TW_RETURN_IF_ERROR(CheckDocuments(documents, model.vocabulary_size()));
  TW_ASSIGN_OR_RETURN(EStep e_step, EStep::Create(LogMeanTopics(model, options.num_threads),
                                                  UsualEStep(model.document_topic_prior()),
                                                  ChosenKernel(), options.num_threads));
  std::vector<double> own;
  for (size_t k = 0; k < static_cast<size_t>(model.num_topics()); ++k) {
    own.push_back(model.document_topic_prior().of(k));
  }
  std::vector<double> alphas = own;
  int round = 0;
  for (bool moves = true; moves && round < options.max_rounds; ++round) {
    std::vector<double> improved =
        Improved(alphas, MeanLogTheta(e_step, documents, options.num_threads));
    double change = 0;
    for (size_t k = 0; k < alphas.size(); ++k) change += std::fabs(improved[k] - alphas[k]);
    moves = change >= options.relative_change * SumOf(alphas);
    alphas = std::move(improved);
    TW_ASSIGN_OR_RETURN(e_step,
                        std::move(e_step).WithDocumentTopicPrior(DocumentTopicPrior(alphas)));
  }
  const DocumentTopicPrior found(std::move(alphas));
  TW_ASSIGN_OR_RETURN(const bool is_worse,
                      CompletesWorse(model, found, documents, options.num_threads));
  return LearnedPrior{.prior = is_worse ? DocumentTopicPrior(std::move(own)) : found,
                      .rounds = round,
                      .is_kept = is_worse};
}

}  // namespace topicwall::lda
