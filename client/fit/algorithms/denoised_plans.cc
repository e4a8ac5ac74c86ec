#include "client/fit/algorithms/denoised_plans.h"

#include <vector>

#include "accountant/accountants/noise_calibration.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/wall/topics_asked.h"
#include "model/lda/denoise/term_weights.h"
#include "proto/matrix_codec.h"

namespace topicwall::client {

int64_t DenoisedReleases(int iterations) { return int64_t{iterations} + 1; }

int MostRows(const v1::CorpusDescription& description, bool is_mixture) {
  const int64_t most = description.limits().max_parameters_per_term();
  const int64_t terms = description.vocabulary_size();
  return static_cast<int>(is_mixture && terms > 0 ? most * terms / (terms + 1) : most);
}

absl::StatusOr<DenoisedPlans> PlanDenoised(const v1::ReleaseSpec& topics, double noise_multiplier) {
  TW_ASSIGN_OR_RETURN(const accountant::JointNoise noise,
                      accountant::SplitNoise({.noise_multiplier = noise_multiplier,
                                              .histogram_share = kHistogramShare}));
  // The same people, caps and held-out share for both: who is held out of the topics must not have
  // been counted for p.
  DenoisedPlans plans = {.unigram = topics, .topics = topics};
  // All of σ_eff goes to the one statistic there is. The topics' share it with their histogram, so
  // that σ_eff of both together is the same; rounding up makes it a hair more, and no release
  // dearer than the unigram's (PricedAs in fit_algorithm.cc counts on that).
  plans.unigram.mutable_gaussian()->set_noise_multiplier(noise_multiplier);
  plans.unigram.set_iterations(1);
  v1::LdaOptions one_topic = TopicsOf(topics);
  one_topic.set_num_topics(1);
  one_topic.clear_document_topic_prior();
  one_topic.add_document_topic_prior(1);  // of no effect
  AskTopics(kLda, one_topic, &plans.unigram);
  plans.topics.mutable_gaussian()->set_noise_multiplier(RoundUpToSixDigits(noise.noise_multiplier));
  plans.topics.mutable_gaussian()->set_histogram_noise_multiplier(
      RoundUpToSixDigits(noise.histogram_noise_multiplier));
  return plans;
}

absl::StatusOr<std::string> TermWeightsOf(absl::Span<const double> unigram) {
  TW_ASSIGN_OR_RETURN(const std::vector<float> weights, lda::TermWeights(unigram, {}));
  return proto::FloatsToLittleEndian(weights);
}

}  // namespace topicwall::client
