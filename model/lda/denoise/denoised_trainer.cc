// State and outcome are apart. The state is what a checkpoint keeps: the unigram's readings, the
// average, C and r. Unigram and model follow from it, and are made anew from the state by Create,
// which is why a fit that is resumed has the same bits as one that was not. Update makes everything
// beside the old state and moves it in at the end, so that a release that is refused changes
// nothing.
#include "model/lda/denoise/denoised_trainer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/denoise/annealing.h"
#include "model/lda/denoise/clip_choice.h"
#include "model/lda/denoise/denoised_model.h"
#include "model/lda/denoise/first_topics.h"
#include "model/lda/denoise/out_of_range.h"
#include "model/lda/denoise/private_unigram.h"
#include "model/lda/topics/step_size.h"

namespace topicwall::lda {
namespace {

int64_t WarmUpIterationsOf(const DenoisedTrainerParams& params) {
  return WarmUpIterations(params.num_iterations, params.recipe.warm_up_share);
}

Annealing AnnealingOf(const DenoisedTrainerParams& params) {
  const DenoisedRecipe& recipe = params.recipe;
  return {.first = params.initial_topics.empty() ? recipe.first_exponent : recipe.warm_exponent,
          // Requests of the warm-up have no topics to blur: the annealing begins after them.
          .num_iterations = params.num_iterations - WarmUpIterationsOf(params),
          .until = params.recipe.anneal_until,
          .last = params.recipe.last_exponent};
}

bool IsWarmUp(const DenoisedTrainerParams& params, int64_t updates) {
  return updates < WarmUpIterationsOf(params);
}

absl::Status CheckState(const DenoisedTrainerParams& params, const DenoisedTrainerState& state) {
  if (!(state.clip_norm > 0 && std::isfinite(state.clip_norm))) {
    return OutOfRange("clip_norm", "positive and finite", state.clip_norm);
  }
  TW_RETURN_IF_ERROR(CheckDirectionNoise(state.direction_noise));
  // The average begins when the warm-up is over.
  const int64_t warm_up = WarmUpIterationsOf(params);
  if (state.updates >= 0 &&
      state.average.updates == std::max<int64_t>(0, state.updates - warm_up)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "updates must be at least 0 and ", warm_up, " more than those of the average; got ",
      state.updates, " and ", state.average.updates, "."));
}

absl::Status CheckParams(const DenoisedTrainerParams& params) {
  const DenoisedRecipe& recipe = params.recipe;
  if (!(recipe.warm_up_share >= 0 && recipe.warm_up_share <= 0.5)) {
    return OutOfRange("warm_up_share", "in [0, 0.5]", recipe.warm_up_share);
  }
  if (!(recipe.clip_quantile > 0 && recipe.clip_quantile < 1)) {
    return OutOfRange("clip_quantile", "in (0, 1)", recipe.clip_quantile);
  }
  if (!(recipe.step_power >= 0 && std::isfinite(recipe.step_power))) {
    return OutOfRange("step_power", "at least 0 and finite", recipe.step_power);
  }
  if (!(recipe.prior_share > 0 && std::isfinite(recipe.prior_share))) {
    return OutOfRange("prior_share", "positive and finite", recipe.prior_share);
  }
  if (!(recipe.long_documents > 0)) {
    return OutOfRange("long_documents", "positive", recipe.long_documents);
  }
  TW_RETURN_IF_ERROR(CheckDirectionNoise(recipe.direction_noise));
  if (!(params.first_clip_norm > 0 && std::isfinite(params.first_clip_norm))) {
    return OutOfRange("first_clip_norm", "positive and finite", params.first_clip_norm);
  }
  TW_RETURN_IF_ERROR(CheckTopicShape(params.num_topics, params.vocabulary_size));
  const size_t entries =
      static_cast<size_t>(params.num_topics) * static_cast<size_t>(params.vocabulary_size);
  if (!params.initial_topics.empty() && params.initial_topics.size() != entries) {
    return absl::InvalidArgumentError(absl::StrCat("initial_topics must be none or ", entries,
                                                   "; got ", params.initial_topics.size(), "."));
  }
  if (!params.initial_topics.empty() && !params.anchors.empty()) {
    return absl::InvalidArgumentError("initial_topics and anchors must not both be given.");
  }
  TW_RETURN_IF_ERROR(CheckAnchors(params.anchors, params.num_topics, params.vocabulary_size));
  TW_RETURN_IF_ERROR(CheckRelatedTerms(params.related_terms, params.vocabulary_size));
  return CheckAnnealing(AnnealingOf(params));
}

absl::StatusOr<TopicModel> FirstModel(const DenoisedTrainerParams& params,
                                      absl::Span<const double> term_probabilities) {
  absl::StatusOr<std::vector<float>> topics = params.initial_topics;
  if (params.initial_topics.empty()) {
    topics = DrawnTopics({.num_topics = params.num_topics,
                          .term_probabilities = term_probabilities,
                          .seed = params.seed,
                          .gamma_shape = params.recipe.gamma_shape,
                          .anchors = params.anchors});
  }
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
                        .related_terms = params.related_terms,
                        .num_threads = params.num_threads});
}

// Σ_k of a K×V matrix.
std::vector<float> SumsOverTopics(absl::Span<const float> values, size_t terms) {
  std::vector<double> sums(terms);
  for (size_t row = 0; row + terms <= values.size(); row += terms) {
    for (size_t v = 0; v < terms; ++v) sums[v] += values[row + v];
  }
  return {sums.begin(), sums.end()};
}

}  // namespace

int64_t WarmUpIterations(int64_t num_iterations, double warm_up_share) {
  // Of fewer, one that is asked without topics would be too large a part.
  constexpr int64_t kFewest = 4;
  if (num_iterations < kFewest || warm_up_share == 0) return 0;
  const double rounded = std::round(warm_up_share * static_cast<double>(num_iterations));
  return std::max<int64_t>(1, static_cast<int64_t>(rounded));
}

absl::StatusOr<DenoisedTrainer> DenoisedTrainer::Create(DenoisedTrainerParams params,
                                                        DenoisedTrainerState state) {
  TW_RETURN_IF_ERROR(CheckParams(params));
  TW_RETURN_IF_ERROR(CheckState(params, state));
  TW_ASSIGN_OR_RETURN(PrivateUnigram unigram,
                      PrivateUnigram::Create(params.vocabulary_size, std::move(state.unigram)));
  TW_ASSIGN_OR_RETURN(RunningStatistic average,
                      RunningStatistic::Create({.num_topics = params.num_topics,
                                                .vocabulary_size = params.vocabulary_size,
                                                .sampling_rate = params.sampling_rate},
                                               std::move(state.average)));
  TW_ASSIGN_OR_RETURN(Outcome outcome, OutcomeOf(params, unigram, average));
  return DenoisedTrainer(std::move(params), state.updates, std::move(unigram), std::move(average),
                         state.clip_norm, state.direction_noise, std::move(outcome));
}

absl::StatusOr<DenoisedTrainer::Outcome> DenoisedTrainer::OutcomeOf(
    const DenoisedTrainerParams& params, const PrivateUnigram& unigram,
    const RunningStatistic& average) {
  TW_ASSIGN_OR_RETURN(std::vector<double> probabilities,
                      unigram.Probabilities(params.related_terms));
  TW_ASSIGN_OR_RETURN(TopicModel model, ModelOf(params, average, probabilities));
  return Outcome{.term_probabilities = std::move(probabilities), .model = std::move(model)};
}

DenoisedTrainer::DenoisedTrainer(DenoisedTrainerParams params, int64_t updates,
                                 PrivateUnigram unigram, RunningStatistic average, double clip_norm,
                                 double direction_noise, Outcome outcome)
    : params_(std::move(params)),
      updates_(updates),
      unigram_(std::move(unigram)),
      average_(std::move(average)),
      clip_norm_(clip_norm),
      direction_noise_(direction_noise),
      outcome_(std::move(outcome)) {}

DenoisedTrainerState DenoisedTrainer::state() const {
  return {updates_, unigram_.state(), average_.state(), clip_norm_, direction_noise_};
}

LogTopics DenoisedTrainer::NextLogTopics() const {
  if (IsWarmUp(params_, updates_)) {
    return *UniformLogTopics(params_.num_topics, params_.vocabulary_size);  // checked
  }
  return Flattened(LogMeanTopics(outcome_.model, params_.num_threads),
                   AnnealingExponent(AnnealingOf(params_), average_.state().updates + 1));
}

absl::StatusOr<PrivateUnigram> DenoisedTrainer::NextUnigram(const Release& release,
                                                            const NoiseOfSums& along) const {
  if (params_.recipe.knows_unigram) return unigram_;
  const std::vector<float> counts =
      SumsOverTopics(release.noisy_sum, static_cast<size_t>(params_.vocabulary_size));
  PrivateUnigram unigram = unigram_;
  absl::Status status =
      unigram.Add({.noisy_counts = counts,
                   // K independent noises are in the sum of K entries.
                   .noise_deviation = release.noise_deviation * std::sqrt(params_.num_topics),
                   .term_weights = params_.term_weights,
                   .shared_variances = along.variances,
                   .shared_variance_of_sum = along.of_all_terms});
  // The sum of many topics may be noise where p is not: no reason to waste what was paid.
  if (!status.ok() && !absl::IsFailedPrecondition(status)) return status;
  return unigram;
}

absl::StatusOr<RunningStatistic> DenoisedTrainer::NextAverage(const Release& release,
                                                              absl::Span<const double> b) const {
  RunningStatistic average = average_;
  // t counts the average's own updates: the first one after the warm-up replaces what was there.
  const double step_size =
      PolynomialStepSize(params_.recipe.step_power, average_.state().updates + 1);
  TW_RETURN_IF_ERROR(average.Update({.noisy_sum = release.noisy_sum,
                                     .noise_deviation = release.noise_deviation,
                                     .term_weights = params_.term_weights,
                                     .step_size = step_size,
                                     .mass_deviations = b},
                                    params_.num_threads));
  return average;
}

// From its histogram; nothing if that says nothing of the norms.
absl::StatusOr<std::optional<double>> DenoisedTrainer::ChosenClipNorm(
    const Release& release) const {
  // The norms of the warm-up are those of word counts, smaller by √K: no guide to what topics
  // need.
  if (IsWarmUp(params_, updates_) || release.norm_histogram.empty()) return std::nullopt;
  absl::StatusOr<double> chosen =
      ChooseClipNorm({.noisy_counts = release.norm_histogram,
                      .noise_deviation = release.histogram_noise_deviation},
                     params_.recipe.clip_quantile);
  if (absl::IsFailedPrecondition(chosen.status())) return std::nullopt;
  return chosen;
}

absl::StatusOr<DenoisedTrainer::Outcome> DenoisedTrainer::NextOutcome(
    const PrivateUnigram& unigram, const RunningStatistic& average) const {
  if (!params_.recipe.knows_unigram) return OutcomeOf(params_, unigram, average);
  // The same probabilities as of the same unigram, which take longer to find than the topics.
  TW_ASSIGN_OR_RETURN(TopicModel model, ModelOf(params_, average, outcome_.term_probabilities));
  return Outcome{.term_probabilities = outcome_.term_probabilities, .model = std::move(model)};
}

absl::Status DenoisedTrainer::Update(const Release& release) {
  TW_RETURN_IF_ERROR(CheckDirectionNoise(release.direction_noise));
  TW_ASSIGN_OR_RETURN(const std::optional<double> chosen, ChosenClipNorm(release));
  std::vector<double> mass_deviations;
  NoiseOfSums along;
  if (release.direction_noise > 0) {
    const LogTopics asked = NextLogTopics();
    mass_deviations = MassDeviations(asked, params_.term_weights,
                                     release.direction_noise * release.noise_deviation);
    along = NoiseAlongInSums(asked, mass_deviations);
  }
  // Checks the release too, so it comes first; one of the warm-up is then left out of it.
  TW_ASSIGN_OR_RETURN(RunningStatistic average, NextAverage(release, mass_deviations));
  if (IsWarmUp(params_, updates_)) average = average_;
  TW_ASSIGN_OR_RETURN(PrivateUnigram unigram, NextUnigram(release, along));
  TW_ASSIGN_OR_RETURN(Outcome outcome, NextOutcome(unigram, average));
  double clip_norm = chosen.value_or(clip_norm_), direction_noise = direction_noise_;
  // Requests have topics from now on, and first_clip_norm is for their norms.
  if (updates_ + 1 == WarmUpIterationsOf(params_)) clip_norm = params_.first_clip_norm;
  if (chosen.has_value()) {
    direction_noise = NextDirectionNoise(direction_noise_, clip_norm,
                                         {.clip_norm = params_.recipe.long_documents,
                                          .direction_noise = params_.recipe.direction_noise});
  }
  *this = DenoisedTrainer(std::move(params_), updates_ + 1, std::move(unigram), std::move(average),
                          clip_norm, direction_noise, std::move(outcome));
  return absl::OkStatus();
}

}  // namespace topicwall::lda
