#include "client/fit/denoised_plans.h"

#include <vector>

#include "accountant/accountants/noise_calibration.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "model/lda/denoise/term_weights.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {

int64_t DenoisedReleases(int iterations) { return int64_t{iterations} + 1; }

absl::StatusOr<DenoisedPlans> PlanDenoised(const v1::PlanSpec& topics, double noise_multiplier) {
  TW_ASSIGN_OR_RETURN(const accountant::JointNoise noise,
                      accountant::SplitNoise({.noise_multiplier = noise_multiplier,
                                              .histogram_share = kHistogramShare}));
  DenoisedPlans plans = {.unigram = topics, .topics = topics};
  plans.unigram.set_noise_multiplier(noise_multiplier);
  plans.unigram.set_iterations(1);
  v1::LatentDirichletAllocation& one_topic = *plans.unigram.mutable_lda();
  one_topic.set_num_topics(1);
  one_topic.clear_document_topic_prior();
  one_topic.add_document_topic_prior(1);  // of no effect
  plans.topics.set_noise_multiplier(RoundUpToSixDigits(noise.noise_multiplier));
  plans.topics.set_histogram_noise_multiplier(RoundUpToSixDigits(noise.histogram_noise_multiplier));
  return plans;
}

absl::StatusOr<std::string> TermWeightsOf(absl::Span<const double> unigram) {
  TW_ASSIGN_OR_RETURN(const std::vector<float> weights, lda::TermWeights(unigram, {}));
  return proto::FloatsToLittleEndian(weights);
}

}  // namespace topicwall::client
