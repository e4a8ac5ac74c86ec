#include "deploy/study/denoised_training.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/accountants/noise_calibration.h"
#include "accountant/filters/budget_filter.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "client/fit/algorithms/denoised_fit.h"
#include "model/lda/denoise/clip_choice.h"
#include "model/lda/denoise/private_unigram.h"
#include "model/lda/denoise/running_statistic.h"
#include "model/lda/denoise/term_weights.h"
#include "model/lda/reading/topic_quality.h"
#include "model/lda/topics/log_topics.h"
#include "model/lda/topics/step_size.h"

namespace topicwall::study {
namespace {

double AlphaOf(const Recipe& recipe) {
  return recipe.alpha > 0 ? recipe.alpha : client::kDenoisedTotalPrior / recipe.num_topics;
}

lda::EStepOptions EStepOf(const Recipe& recipe) {
  return {.document_topic_prior = AlphaOf(recipe),
          .max_iterations = static_cast<int>(recipe.e_step_iterations),
          .mean_change_threshold = recipe.threshold};
}

lda::DenoisedRecipe TrainerRecipe(const Recipe& recipe) {
  return {.warm_up_share = recipe.warm_up_share,
          .clip_quantile = recipe.clip_quantile,
          .direction_noise = recipe.direction_noise,
          .long_documents = recipe.long_documents,
          .step_power = recipe.step_power,
          .first_exponent = recipe.first_exponent,
          .last_exponent = recipe.last_exponent,
          .anneal_until = recipe.anneal_until,
          .prior_share = recipe.prior_share,
          .gamma_shape = recipe.gamma_shape,
          .num_term_types = static_cast<int>(recipe.num_term_types),
          .em_iterations = static_cast<int>(recipe.em_iterations)};
}

// σ_eff of each of so many full-batch releases.
absl::StatusOr<double> NoiseOfEach(const Recipe& recipe, int64_t releases) {
  const accountant::PrivacyParams budget = {.epsilon = recipe.epsilon, .delta = recipe.delta};
  if (recipe.inventory == 0) {
    TW_ASSIGN_OR_RETURN(const accountant::FilterSpec spec,
                        accountant::BudgetFilter::DefaultSpec(budget));
    TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy,
                        accountant::AdmissionPolicy::Create(spec));
    return client::ChooseNoiseMultiplier(
        policy, recipe.epsilon,
        {.sampling_rate = 1,
         .releases = releases,
         .min_noise_multiplier = accountant::kSmallestNoiseMultiplier});
  }
  TW_ASSIGN_OR_RETURN(
      const double together,
      accountant::SmallestNoiseMultiplierThat([&budget](double sigma) -> absl::StatusOr<bool> {
        return accountant::GaussianEpsilonUpperBound(budget.delta, sigma) <= budget.epsilon;
      }));
  // J releases of σ√J are one of σ.
  return together * std::sqrt(static_cast<double>(releases));
}

lda::RelatedTerms RelatedTermsOf(const Recipe& recipe, const TrainingTask& task) {
  if (recipe.related_terms == 0) return {};
  return {task.related_terms.begin(), task.related_terms.end()};
}

// What the plan with K = 1 says of the words. Without noise it is the true unigram.
absl::StatusOr<lda::PrivateUnigram> AskForUnigram(const Recipe& recipe, const TrainingTask& task,
                                                  const DenoisedNoise& noise) {
  TW_ASSIGN_OR_RETURN(lda::PrivateUnigram unigram,
                      lda::PrivateUnigram::Create(task.vocabulary_size, {}));
  if (recipe.no_noise != 0) {
    const std::vector<float> counts(task.true_unigram.begin(), task.true_unigram.end());
    TW_RETURN_IF_ERROR(unigram.Add({.noisy_counts = counts, .noise_deviation = 0}));
    return unigram;
  }
  TW_ASSIGN_OR_RETURN(const lda::LogTopics one_topic,
                      lda::UniformLogTopics(1, task.vocabulary_size));
  TW_ASSIGN_OR_RETURN(const SimulatedRelease release,
                      task.wall.Release(one_topic, {.e_step = EStepOf(recipe),
                                                    .clip_norm = client::kUnigramClipNorm,
                                                    .term_weights = {},
                                                    .noise_multiplier = noise.unigram,
                                                    .histogram_noise_multiplier = 0}));
  TW_RETURN_IF_ERROR(unigram.Add({.noisy_counts = release.noisy_sum,
                                  .noise_deviation = noise.unigram * client::kUnigramClipNorm}));
  return unigram;
}

// α, J and K of the recipe, p and w of the unigram.
absl::StatusOr<lda::DenoisedTrainer> Begin(const Recipe& recipe, const TrainingTask& task,
                                           const lda::PrivateUnigram& unigram,
                                           std::vector<float> weights) {
  const auto num_topics = static_cast<int>(recipe.num_topics);
  const auto iterations = static_cast<int64_t>(recipe.iterations);
  const bool clips = recipe.no_noise == 0;
  const double first = clips ? recipe.first_clip : kNoClip;
  return lda::DenoisedTrainer::Create(
      {.num_topics = num_topics,
       .vocabulary_size = task.vocabulary_size,
       .num_iterations = iterations,
       .document_topic_prior = AlphaOf(recipe),
       .sampling_rate = 1,
       .first_clip_norm = first,
       .term_weights = std::move(weights),
       .seed = static_cast<uint64_t>(recipe.seed),
       .num_threads = task.num_threads,
       .recipe = TrainerRecipe(recipe),
       .related_terms = RelatedTermsOf(recipe, task)},
      {.updates = 0,
       .unigram = unigram.state(),
       .average = {},
       .clip_norm =
           clips ? lda::FirstClipNorm(
                       num_topics, lda::WarmUpIterations(iterations, recipe.warm_up_share), first)
                 : kNoClip});
}

}  // namespace

absl::StatusOr<Trained> FinishDenoised(
    const Recipe& recipe, BegunFit fit,
    absl::FunctionRef<absl::StatusOr<SimulatedRelease>(const lda::DenoisedTrainer& trainer,
                                                       const SimulatedRequest& request)>
        ask,
    absl::FunctionRef<absl::Status(const SimulatedRelease& release, double step_size)> average) {
  lda::DenoisedTrainer& trainer = fit.trainer;
  const bool is_exact = recipe.no_noise != 0;
  SimulatedRequest request = {.e_step = EStepOf(recipe),
                              .clip_norm = 0,
                              .term_weights = fit.weights,
                              .noise_multiplier = fit.noise.sums,
                              .histogram_noise_multiplier = fit.noise.histogram};
  const auto iterations = static_cast<int64_t>(recipe.iterations);
  const int64_t warm_up = lda::WarmUpIterations(iterations, recipe.warm_up_share);
  double kept_words = 1;
  for (int64_t t = 1; t <= iterations; ++t) {
    request.clip_norm = trainer.clip_norm();
    request.direction_noise = trainer.direction_noise();
    TW_ASSIGN_OR_RETURN(const SimulatedRelease release, ask(trainer, request));
    if (t > warm_up) {
      TW_RETURN_IF_ERROR(average(release, lda::PolynomialStepSize(recipe.step_power, t - warm_up)));
    }
    absl::Span<const float> histogram = release.norm_histogram;
    if (is_exact) histogram = {};  // C stays
    TW_RETURN_IF_ERROR(
        trainer.Update({.noisy_sum = release.noisy_sum,
                        .noise_deviation = request.noise_multiplier * request.clip_norm,
                        .norm_histogram = histogram,
                        .histogram_noise_deviation = request.histogram_noise_multiplier,
                        .direction_noise = request.direction_noise}));
    kept_words = release.kept_words;
  }
  const absl::Span<const double> unigram = trainer.term_probabilities();
  const lda::NoisyTopics noisy = trainer.noisy_topics();
  TW_ASSIGN_OR_RETURN(const lda::TopicQuality quality,
                      lda::TopicQuality::Create(trainer.Model(), noisy, unigram));
  return Trained{.model = trainer.Model(),
                 .unigram = {unigram.begin(), unigram.end()},
                 .noisy_sums = {noisy.values.begin(), noisy.values.end()},
                 .noise_deviations = {noisy.noise_deviations.begin(), noisy.noise_deviations.end()},
                 .mass_deviations = {noisy.mass_deviations.begin(), noisy.mass_deviations.end()},
                 .clip_norm = is_exact ? 0 : request.clip_norm,
                 .kept_words = kept_words,
                 .noise_multiplier = fit.noise.unigram,  // all releases have one price
                 .weak_topics = quality.NumWeakTopics()};
}

absl::StatusOr<DenoisedNoise> NoiseOf(const Recipe& recipe) {
  if (recipe.no_noise != 0) return DenoisedNoise{0, 0, 0};
  const auto iterations = static_cast<int32_t>(recipe.iterations);
  TW_ASSIGN_OR_RETURN(const double each, NoiseOfEach(recipe, client::DenoisedReleases(iterations)));
  v1::ReleaseSpec topics;
  topics.set_iterations(iterations);
  TW_ASSIGN_OR_RETURN(const client::DenoisedPlans plans,
                      client::PlanDenoised(topics, each / recipe.scale));
  return DenoisedNoise{.unigram = plans.unigram.gaussian().noise_multiplier(),
                       .sums = plans.topics.gaussian().noise_multiplier(),
                       .histogram = plans.topics.gaussian().histogram_noise_multiplier()};
}

absl::StatusOr<BegunFit> BeginDenoised(const Recipe& recipe, const TrainingTask& task) {
  TW_ASSIGN_OR_RETURN(const DenoisedNoise noise, NoiseOf(recipe));
  TW_ASSIGN_OR_RETURN(const lda::PrivateUnigram unigram, AskForUnigram(recipe, task, noise));
  TW_ASSIGN_OR_RETURN(const std::vector<double> probabilities,
                      unigram.Probabilities(RelatedTermsOf(recipe, task)));
  TW_ASSIGN_OR_RETURN(std::vector<float> weights,
                      lda::TermWeights(probabilities, {.exponent = recipe.weight_exponent}));
  TW_ASSIGN_OR_RETURN(lda::DenoisedTrainer trainer, Begin(recipe, task, unigram, weights));
  return BegunFit{.noise = noise, .weights = std::move(weights), .trainer = std::move(trainer)};
}

absl::StatusOr<Trained> TrainDenoised(const Recipe& recipe, const TrainingTask& task) {
  TW_ASSIGN_OR_RETURN(BegunFit fit, BeginDenoised(recipe, task));
  // The trainer's running average without the noise: of the same requests and clips, which the
  // noise of all releases before has led to.
  TW_ASSIGN_OR_RETURN(
      lda::RunningStatistic exact,
      lda::RunningStatistic::Create({.num_topics = static_cast<int>(recipe.num_topics),
                                     .vocabulary_size = task.vocabulary_size,
                                     .sampling_rate = 1},
                                    {}));
  TW_ASSIGN_OR_RETURN(
      Trained trained,
      FinishDenoised(
          recipe, std::move(fit),
          [&task](const lda::DenoisedTrainer& trainer, const SimulatedRequest& request) {
            return task.wall.Release(trainer.NextLogTopics(), request);
          },
          [&exact](const SimulatedRelease& release, double step_size) {
            return exact.Update({.noisy_sum = release.exact_sum,
                                 .noise_deviation = 0,
                                 .term_weights = {},
                                 .step_size = step_size});
          }));
  trained.exact_sums = exact.state().values;
  return trained;
}

}  // namespace topicwall::study
