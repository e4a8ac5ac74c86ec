#include "lda/denoised_trainer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lda/clip_choice.h"
#include "lda/denoised_model.h"
#include "lda/initial_topics.h"

namespace topicwall::lda {
namespace {

absl::Status OutOfRange(absl::string_view name, absl::string_view range, double value) {
  return absl::InvalidArgumentError(absl::StrCat(name, " must be ", range, "; got ", value, "."));
}

absl::Status CheckParams(const DenoisedTrainerParams& params, double clip_norm) {
  if (!(params.clip_quantile > 0 && params.clip_quantile < 1)) {
    return OutOfRange("clip_quantile", "in (0, 1)", params.clip_quantile);
  }
  if (!(params.later_step_size > 0 && params.later_step_size <= 1)) {
    return OutOfRange("later_step_size", "in (0, 1]", params.later_step_size);
  }
  if (!(clip_norm > 0 && std::isfinite(clip_norm))) {
    return OutOfRange("clip_norm", "positive and finite", clip_norm);
  }
  return CheckTermProbabilities(params.term_probabilities, params.vocabulary_size);
}

absl::StatusOr<TopicModel> FirstModel(const DenoisedTrainerParams& params) {
  absl::StatusOr<std::vector<float>> topics =
      RandomTopics(params.num_topics, params.vocabulary_size, params.seed);
  if (!topics.ok()) return topics.status();
  const size_t terms = params.term_probabilities.size();
  for (size_t i = 0; i < topics->size(); ++i) {
    const double entry = (*topics)[i] * params.term_probabilities[i % terms];
    (*topics)[i] = std::max(static_cast<float>(entry), std::numeric_limits<float>::min());
  }
  return TopicModel::Create({.num_topics = params.num_topics,
                             .vocabulary_size = params.vocabulary_size,
                             .document_topic_prior = params.document_topic_prior,
                             .topic_term_prior = params.topic_term_prior,
                             .topic_parameters = *std::move(topics)});
}

absl::StatusOr<TopicModel> ModelOf(const DenoisedTrainerParams& params,
                                   const RunningStatistic& average) {
  if (average.state().updates == 0) return FirstModel(params);
  return DenoisedModel({.noisy = average.noisy_topics(),
                        .term_probabilities = params.term_probabilities,
                        .document_topic_prior = params.document_topic_prior,
                        .topic_term_prior = params.topic_term_prior},
                       params.denoiser);
}

// C from a release's histogram, or what it was.
absl::StatusOr<double> NextClipNorm(const DenoisedTrainer::Release& release, double quantile,
                                    double clip_norm) {
  if (release.norm_histogram.empty()) return clip_norm;
  absl::StatusOr<double> chosen =
      ChooseClipNorm({.noisy_counts = release.norm_histogram,
                      .noise_deviation = release.histogram_noise_deviation},
                     quantile);
  if (absl::IsFailedPrecondition(chosen.status())) return clip_norm;
  return chosen;
}

}  // namespace

absl::StatusOr<DenoisedTrainer> DenoisedTrainer::Create(DenoisedTrainerParams params,
                                                        DenoisedTrainerState state) {
  if (absl::Status status = CheckParams(params, state.clip_norm); !status.ok()) return status;
  absl::StatusOr<RunningStatistic> average =
      RunningStatistic::Create({.num_topics = params.num_topics,
                                .vocabulary_size = params.vocabulary_size,
                                .sampling_rate = params.sampling_rate},
                               std::move(state.average));
  if (!average.ok()) return average.status();
  absl::StatusOr<TopicModel> model = ModelOf(params, *average);
  if (!model.ok()) return model.status();
  return DenoisedTrainer(std::move(params), *std::move(average), state.clip_norm,
                         *std::move(model));
}

DenoisedTrainer::DenoisedTrainer(DenoisedTrainerParams params, RunningStatistic average,
                                 double clip_norm, TopicModel model)
    : params_(std::move(params)),
      average_(std::move(average)),
      clip_norm_(clip_norm),
      model_(std::move(model)) {}

LogTopics DenoisedTrainer::NextLogTopics() const {
  return LogMeanTopics(model_, params_.denoiser.num_threads);
}

absl::Status DenoisedTrainer::Update(const Release& release) {
  const absl::StatusOr<double> clip_norm = NextClipNorm(release, params_.clip_quantile, clip_norm_);
  if (!clip_norm.ok()) return clip_norm.status();
  RunningStatistic average = average_;
  absl::Status status = average.Update({.noisy_sum = release.noisy_sum,
                                        .noise_deviation = release.noise_deviation,
                                        .term_weights = params_.term_weights,
                                        .step_size = params_.later_step_size},
                                       params_.denoiser.num_threads);
  if (!status.ok()) return status;
  absl::StatusOr<TopicModel> model = ModelOf(params_, average);
  if (!model.ok()) return model.status();
  average_ = std::move(average);
  clip_norm_ = *clip_norm;
  model_ = *std::move(model);
  return absl::OkStatus();
}

}  // namespace topicwall::lda
