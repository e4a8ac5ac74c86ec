#include "client/evaluate/evaluator.h"

#include <vector>

#include "base/status_macros.h"
#include "base/threads/for_each_block.h"
#include "client/fit/model_file.h"
#include "model/gaussian/fitted_gaussians.h"
#include "model/mixture/mixture_perplexity.h"

namespace topicwall::client {
namespace {

// On all processors: how many there are changes no bits.
lda::HeldOutOptions HeldOut() { return {.num_threads = lda::NumProcessors()}; }

// A word that the public text happens to lack must not make the unigram's perplexity infinite.
constexpr double kUnigramPseudoCount = 0.1;

// What both kinds of model are held beside.
absl::Status AddUnigram(const lda::TopicModel& model, const EvaluationOptions& options,
                        const lda::DocumentList& scored, Evaluation* result) {
  std::vector<double> unigram(options.term_probabilities.begin(), options.term_probabilities.end());
  if (unigram.empty()) unigram = lda::MarginalTermProbabilities(model);
  if (options.unigram_documents != nullptr) {
    TW_ASSIGN_OR_RETURN(
        unigram, lda::SmoothedTermProbabilities(*options.unigram_documents, model.vocabulary_size(),
                                                kUnigramPseudoCount));
  }
  TW_ASSIGN_OR_RETURN(result->unigram, lda::UnigramPerplexity(unigram, scored));
  return absl::OkStatus();
}

Evaluation CountOf(const lda::DocumentList& documents) {
  Evaluation result = {};
  for (size_t i = 0; i < documents.size(); ++i) {
    ++(documents[i].empty() ? result.empty_documents : result.documents);
  }
  return result;
}

}  // namespace

absl::StatusOr<Evaluation> Evaluate(const lda::TopicModel& model,
                                    const lda::DocumentList& documents,
                                    const EvaluationOptions& options) {
  Evaluation result = CountOf(documents);
  TW_ASSIGN_OR_RETURN(result.bound, lda::ComputePerplexityBound(model, documents, HeldOut()));
  // One split for model and unigram: their difference is then of the models and not of the halves.
  const lda::TokenSplit split = lda::SplitTokens(documents, options.seed);
  TW_ASSIGN_OR_RETURN(result.completion,
                      lda::DocumentCompletionPerplexity(model, split, HeldOut()));
  TW_RETURN_IF_ERROR(AddUnigram(model, options, split.scored, &result));
  return result;
}

absl::StatusOr<Evaluation> EvaluateMixture(const lda::TopicModel& model,
                                           absl::Span<const double> component_weights,
                                           const lda::DocumentList& documents,
                                           const EvaluationOptions& options) {
  Evaluation result = CountOf(documents);
  TW_ASSIGN_OR_RETURN(const mixture::FittedMixture fitted,
                      mixture::FittedMixture::Create(model, component_weights));
  // In place of a bound: the likelihood of a mixture is a sum over K, and exact.
  TW_ASSIGN_OR_RETURN(result.whole_documents, fitted.Perplexity(documents));
  const lda::TokenSplit split = lda::SplitTokens(documents, options.seed);
  TW_ASSIGN_OR_RETURN(result.completion, fitted.Completion(split));
  TW_RETURN_IF_ERROR(AddUnigram(model, options, split.scored, &result));
  return result;
}

absl::StatusOr<VectorMatrix> ReadVectorsFor(const v1::ModelFile& model, const std::string& path) {
  return ReadVectors(path, VectorFormatOf(path),
                     {.dimension = static_cast<int>(model.vocabulary_size()),
                      .norm_bound = model.gaussian().norm_bound()});
}

absl::StatusOr<GaussianEvaluation> EvaluateGaussians(const v1::ModelFile& model,
                                                     const VectorMatrix& vectors) {
  if (vectors.rows() == 0) {
    return absl::FailedPreconditionError("there is no vector to score. Give some.");
  }
  const gaussian::Components components = ComponentsOf(model);
  const gaussian::FittedGaussians fitted(components), whole(gaussian::WholeOf(components));
  GaussianEvaluation result = {
      .vectors = static_cast<int64_t>(vectors.rows()), .log_likelihood = 0, .one_gaussian = 0};
  const auto rows = static_cast<double>(vectors.rows());
  for (size_t i = 0; i < vectors.rows(); ++i) {
    result.log_likelihood += fitted.LogDensity(vectors.row(i)) / rows;
    result.one_gaussian += whole.LogDensity(vectors.row(i)) / rows;
  }
  return result;
}

}  // namespace topicwall::client
