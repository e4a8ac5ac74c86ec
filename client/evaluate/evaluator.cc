#include "client/evaluate/evaluator.h"

#include <vector>

#include "base/for_each_block.h"
#include "base/status_macros.h"

namespace topicwall::client {
namespace {

// On all processors: how many there are changes no bits.
lda::HeldOutOptions HeldOut() {
  return {
      .max_iterations = 100, .mean_change_threshold = 1e-3, .num_threads = lda::NumProcessors()};
}

constexpr double kUnigramPseudoCount = 0.1;

}  // namespace

absl::StatusOr<Evaluation> Evaluate(const lda::TopicModel& model,
                                    const lda::DocumentList& documents,
                                    const EvaluationOptions& options) {
  Evaluation result = {};
  for (size_t i = 0; i < documents.size(); ++i) {
    ++(documents[i].empty() ? result.empty_documents : result.documents);
  }
  TW_ASSIGN_OR_RETURN(result.bound, lda::ComputePerplexityBound(model, documents, HeldOut()));
  const lda::TokenSplit split = lda::SplitTokens(documents, options.seed);
  TW_ASSIGN_OR_RETURN(result.completion,
                      lda::DocumentCompletionPerplexity(model, split, HeldOut()));
  std::vector<double> unigram(options.term_probabilities.begin(), options.term_probabilities.end());
  if (unigram.empty()) unigram = lda::MarginalTermProbabilities(model);
  if (options.unigram_documents != nullptr) {
    TW_ASSIGN_OR_RETURN(
        unigram, lda::SmoothedTermProbabilities(*options.unigram_documents, model.vocabulary_size(),
                                                kUnigramPseudoCount));
  }
  TW_ASSIGN_OR_RETURN(result.unigram, lda::UnigramPerplexity(unigram, split.scored));
  return result;
}

}  // namespace topicwall::client
