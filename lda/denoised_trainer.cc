#include "lda/denoised_trainer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lda/annealing.h"
#include "lda/clip_choice.h"
#include "lda/denoised_model.h"
#include "lda/initial_topics.h"
#include "lda/private_unigram.h"
#include "lda/step_size.h"

namespace topicwall::lda {
namespace {

absl::Status OutOfRange(absl::string_view name, absl::string_view range, double value) {
  return absl::InvalidArgumentError(absl::StrCat(name, " must be ", range, "; got ", value, "."));
}

Annealing AnnealingOf(const DenoisedTrainerParams& params) {
  const DenoisedRecipe& recipe = params.recipe;
  return {.first = params.initial_topics.empty() ? recipe.first_exponent : recipe.warm_exponent,
          .num_iterations = params.num_iterations,
          .until = params.recipe.anneal_until,
          .last = params.recipe.last_exponent};
}

absl::Status CheckParams(const DenoisedTrainerParams& params, double clip_norm) {
  const DenoisedRecipe& recipe = params.recipe;
  if (!(recipe.clip_quantile > 0 && recipe.clip_quantile < 1)) {
    return OutOfRange("clip_quantile", "in (0, 1)", recipe.clip_quantile);
  }
  if (!(recipe.step_power >= 0 && std::isfinite(recipe.step_power))) {
    return OutOfRange("step_power", "at least 0 and finite", recipe.step_power);
  }
  if (!(recipe.prior_share > 0 && std::isfinite(recipe.prior_share))) {
    return OutOfRange("prior_share", "positive and finite", recipe.prior_share);
  }
  if (!(clip_norm > 0 && std::isfinite(clip_norm))) {
    return OutOfRange("clip_norm", "positive and finite", clip_norm);
  }
  if (static_cast<int64_t>(params.noisy_counts.size()) != params.vocabulary_size) {
    return absl::InvalidArgumentError(absl::StrCat("noisy_counts must be of vocabulary_size, ",
                                                   params.vocabulary_size, "; got ",
                                                   params.noisy_counts.size(), " of them."));
  }
  const size_t entries = params.noisy_counts.size() * static_cast<size_t>(params.num_topics);
  if (!params.initial_topics.empty() && params.initial_topics.size() != entries) {
    return absl::InvalidArgumentError(absl::StrCat("initial_topics must be none or ", entries,
                                                   "; got ", params.initial_topics.size(), "."));
  }
  return CheckAnnealing(AnnealingOf(params));
}

NoisyCounts CountsOf(const DenoisedTrainerParams& params) {
  return {.noisy_counts = params.noisy_counts, .noise_deviation = params.counts_noise_deviation};
}

// p, as well as counts and average say it.
absl::StatusOr<std::vector<double>> UnigramOf(const DenoisedTrainerParams& params,
                                              const RunningStatistic& average) {
  // Earlier averages are of topics that were still blurred, and say little more.
  constexpr int64_t kUpdatesToRefine = 3;
  if (average.state().updates < kUpdatesToRefine) return PrivateUnigram(CountsOf(params));
  absl::StatusOr<std::vector<double>> refined =
      RefinedUnigram(CountsOf(params), average.noisy_topics());
  // The sum of many topics may be noise where the counts are not: no reason to waste what was paid.
  if (absl::IsFailedPrecondition(refined.status())) return PrivateUnigram(CountsOf(params));
  return refined;
}

// p, each entry times a draw of mean 1.
absl::StatusOr<std::vector<float>> DrawnTopics(const DenoisedTrainerParams& params,
                                               absl::Span<const double> term_probabilities) {
  absl::StatusOr<std::vector<float>> topics = RandomTopics(
      params.num_topics, params.vocabulary_size, params.seed, params.recipe.gamma_shape);
  if (!topics.ok()) return topics.status();
  const size_t terms = term_probabilities.size();
  for (size_t i = 0; i < topics->size(); ++i) {
    const double entry = (*topics)[i] * term_probabilities[i % terms];
    (*topics)[i] = std::max(static_cast<float>(entry), std::numeric_limits<float>::min());
  }
  return topics;
}

absl::StatusOr<TopicModel> FirstModel(const DenoisedTrainerParams& params,
                                      absl::Span<const double> term_probabilities) {
  absl::StatusOr<std::vector<float>> topics = params.initial_topics;
  if (params.initial_topics.empty()) topics = DrawnTopics(params, term_probabilities);
  if (!topics.ok()) return topics.status();
  return TopicModel::Create({.num_topics = params.num_topics,
                             .vocabulary_size = params.vocabulary_size,
                             .document_topic_prior = params.document_topic_prior,
                             .topic_term_prior = 1,
                             .topic_parameters = *std::move(topics)});
}

absl::StatusOr<TopicModel> ModelOf(const DenoisedTrainerParams& params,
                                   const RunningStatistic& average,
                                   absl::Span<const double> term_probabilities) {
  if (average.state().updates == 0) return FirstModel(params, term_probabilities);
  const NoisyTopics noisy = average.noisy_topics();
  return DenoisedModel({.noisy = noisy,
                        .term_probabilities = term_probabilities,
                        .document_topic_prior = params.document_topic_prior,
                        .topic_term_prior = PriorOfShare(noisy, params.recipe.prior_share)},
                       {.num_term_types = params.recipe.num_term_types,
                        .em_iterations = params.recipe.em_iterations,
                        .num_threads = params.num_threads});
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
  absl::StatusOr<Outcome> outcome = OutcomeOf(params, *average);
  if (!outcome.ok()) return outcome.status();
  return DenoisedTrainer(std::move(params), *std::move(average), state.clip_norm,
                         *std::move(outcome));
}

absl::StatusOr<DenoisedTrainer::Outcome> DenoisedTrainer::OutcomeOf(
    const DenoisedTrainerParams& params, const RunningStatistic& average) {
  absl::StatusOr<std::vector<double>> unigram = UnigramOf(params, average);
  if (!unigram.ok()) return unigram.status();
  absl::StatusOr<TopicModel> model = ModelOf(params, average, *unigram);
  if (!model.ok()) return model.status();
  return Outcome{.term_probabilities = *std::move(unigram), .model = *std::move(model)};
}

DenoisedTrainer::DenoisedTrainer(DenoisedTrainerParams params, RunningStatistic average,
                                 double clip_norm, Outcome outcome)
    : params_(std::move(params)),
      average_(std::move(average)),
      clip_norm_(clip_norm),
      term_probabilities_(std::move(outcome.term_probabilities)),
      model_(std::move(outcome.model)) {}

LogTopics DenoisedTrainer::NextLogTopics() const {
  return Flattened(LogMeanTopics(model_, params_.num_threads),
                   AnnealingExponent(AnnealingOf(params_), average_.state().updates + 1));
}

absl::Status DenoisedTrainer::Update(const Release& release) {
  const absl::StatusOr<double> clip_norm =
      NextClipNorm(release, params_.recipe.clip_quantile, clip_norm_);
  if (!clip_norm.ok()) return clip_norm.status();
  RunningStatistic average = average_;
  const double step_size =
      PolynomialStepSize(params_.recipe.step_power, average_.state().updates + 1);
  absl::Status status = average.Update({.noisy_sum = release.noisy_sum,
                                        .noise_deviation = release.noise_deviation,
                                        .term_weights = params_.term_weights,
                                        .step_size = step_size},
                                       params_.num_threads);
  if (!status.ok()) return status;
  absl::StatusOr<Outcome> outcome = OutcomeOf(params_, average);
  if (!outcome.ok()) return outcome.status();
  *this = DenoisedTrainer(std::move(params_), std::move(average), *clip_norm, *std::move(outcome));
  return absl::OkStatus();
}

}  // namespace topicwall::lda
