// The model of the denoised trainer: prior and denoised sums together.
//
//   absl::StatusOr<TopicModel> model = DenoisedModel(
//       {.noisy = average.noisy_topics(), .term_probabilities = unigram,
//        .document_topic_prior = 0.02, .topic_term_prior = 1}, {.num_threads = 2});
//   LogTopics next = LogMeanTopics(*std::move(model));
//
//   λ_kv = ηV·p_v + E[sum_kv | release]                                   (noise_denoiser.h)
//
// The prior is η words a term on average, in the proportions of the unigram instead of uniform: a
// term that is drowned in noise gets its share of the corpus, not 1/V.
//
// Errors: those of Denoise and TopicModel::Create. PUBLIC, pure; bits as Denoise.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_DENOISED_MODEL_H_
#define TOPICWALL_MODEL_LDA_DENOISE_DENOISED_MODEL_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/lda/denoise/noise_denoiser.h"
#include "model/lda/denoise/noisy_topics.h"
#include "model/lda/topics/dirichlet_prior.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

struct DenoisedModelParams {
  NoisyTopics noisy;
  absl::Span<const double> term_probabilities;  // p: V
  DocumentTopicPrior document_topic_prior;      // α, only passed on to the model
  double topic_term_prior;                      // η > 0, in words a term
};

// The η at which the prior is `share` (0 … 1, a quarter is usual) of the average topic's mass:
// share·ΣY/(K·V), within [kMinPrior, kMaxPrior] (dirichlet_prior.h). How much a fit gains from the
// unigram in its topics depends on signal and noise, not on how many documents there are, so that a
// share suits corpora of any size where a number of words does not.
double PriorOfShare(const NoisyTopics& noisy, double share);

absl::StatusOr<TopicModel> DenoisedModel(const DenoisedModelParams& params,
                                         const DenoiserOptions& options);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_DENOISED_MODEL_H_
