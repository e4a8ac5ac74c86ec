#include "model/lda/denoise/denoised_model.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "model/lda/math/array_math_choice.h"
#include "model/lda/topics/dirichlet_prior.h"

namespace topicwall::lda {

// From the signed average, whose noise cancels in the sum: denoised values, all at least 0, would
// add up to more than the topics hold. `>` is false for NaN and for a mass below 0.
double PriorOfShare(const NoisyTopics& noisy, double share) {
  const double mass = FastestArrayMath().sum(noisy.values.data(), noisy.values.size());
  const double prior = share * mass / static_cast<double>(noisy.values.size());
  return prior > kMinPrior ? std::min(prior, kMaxPrior) : kMinPrior;
}

absl::StatusOr<TopicModel> DenoisedModel(const DenoisedModelParams& params,
                                         const DenoiserOptions& options) {
  TW_RETURN_IF_ERROR(CheckPrior("topic_term_prior", params.topic_term_prior));
  TW_ASSIGN_OR_RETURN(DenoisedTopics denoised,
                      Denoise(params.noisy, params.term_probabilities, options));
  const size_t terms = params.term_probabilities.size();
  std::vector<float> lambda = std::move(denoised.means);
  for (size_t i = 0; i < lambda.size(); ++i) {
    const double prior =
        params.topic_term_prior * static_cast<double>(terms) * params.term_probabilities[i % terms];
    // Above 0 in float32 as well, as a model must be.
    lambda[i] = std::max(static_cast<float>(lambda[i] + prior), std::numeric_limits<float>::min());
  }
  return TopicModel::Create({.num_topics = params.noisy.num_topics,
                             .vocabulary_size = params.noisy.vocabulary_size,
                             .document_topic_prior = params.document_topic_prior,
                             .topic_term_prior = params.topic_term_prior,
                             .topic_parameters = std::move(lambda)});
}

}  // namespace topicwall::lda
