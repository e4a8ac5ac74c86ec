#include "deploy/study/private_training.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "accountant/status_macros.h"
#include "deploy/study/noise_allocation.h"
#include "deploy/study/normal_draws.h"
#include "lda/annealing.h"
#include "lda/clip_choice.h"
#include "lda/denoised_model.h"
#include "lda/log_topics.h"
#include "lda/noise_denoiser.h"
#include "lda/private_unigram.h"
#include "lda/running_statistic.h"
#include "lda/step_size.h"
#include "lda/term_weights.h"
#include "lda/topic_quality.h"

namespace topicwall::study {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Training {
 public:
  Training(const Recipe& recipe, const TrainingTask& task, NoiseAllocation noise)
      : recipe_(recipe),
        task_(task),
        noise_(std::move(noise)),
        shape_({.num_topics = static_cast<int>(recipe.num_topics),
                .vocabulary_size = task.vocabulary_size,
                .sampling_rate = 1}),
        clip_norm_(recipe.no_noise != 0 ? kInfinity : recipe.first_clip) {
    if (recipe.ratios_per_octave > 0) {
      denoiser_.ratios.clear();
      const auto last = static_cast<int>(6 * recipe.ratios_per_octave);
      for (int i = static_cast<int>(-9 * recipe.ratios_per_octave); i <= last; ++i) {
        denoiser_.ratios.push_back(std::exp2(i / recipe.ratios_per_octave));
      }
    }
    denoiser_.num_term_types = static_cast<int>(recipe.num_term_types);
    denoiser_.em_iterations = static_cast<int>(recipe.em_iterations);
    denoiser_.num_threads = task.num_threads;
  }

  absl::Status FindUnigram() {
    if (noise_.unigram == 0) {
      unigram_.assign(task_.true_unigram.begin(), task_.true_unigram.end());
      return absl::OkStatus();
    }
    const std::vector<float> nothing(static_cast<size_t>(task_.vocabulary_size), 0.0F);
    TW_ASSIGN_OR_RETURN(const lda::LogTopics one_topic,
                        lda::LogTopics::Create(1, task_.vocabulary_size, nothing));
    TW_ASSIGN_OR_RETURN(
        const SimulatedRelease release,
        task_.wall.Release(one_topic, {.e_step = EStepOptions(),
                                       .clip_norm = recipe_.unigram_clip,
                                       .term_weights = {},
                                       .noise_multiplier = noise_.unigram,
                                       .histogram_noise_multiplier = noise_.histogram}));
    counts_ = release.noisy_sum;
    TW_ASSIGN_OR_RETURN(unigram_, lda::PrivateUnigram(Counts()));
    return absl::OkStatus();
  }

  absl::StatusOr<Trained> Run() {
    TW_RETURN_IF_ERROR(FindUnigram());
    TW_ASSIGN_OR_RETURN(weights_, lda::TermWeights(unigram_, {.exponent = recipe_.weight_exponent,
                                                              .floor = recipe_.weight_floor}));
    TW_ASSIGN_OR_RETURN(lda::RunningStatistic average, lda::RunningStatistic::Create(shape_, {}));
    lda::RunningStatistic final_average = average;
    TW_ASSIGN_OR_RETURN(lda::TopicModel model, InitialModel());
    for (int t = 1; t <= static_cast<int>(recipe_.iterations); ++t) {
      TW_ASSIGN_OR_RETURN(const SimulatedRelease release, Ask(std::move(model), t));
      TW_RETURN_IF_ERROR(Take(release, t, StepSize(t), &average));
      if (recipe_.final_power >= 0) {
        TW_RETURN_IF_ERROR(
            Take(release, t, lda::PolynomialStepSize(recipe_.final_power, t), &final_average));
      }
      kept_words_ = release.kept_words;
      last_clip_norm_ = clip_norm_;
      TW_RETURN_IF_ERROR(ChooseClip(release));
      if (recipe_.refine_unigram != 0 && noise_.unigram > 0 && t > 2) {
        TW_ASSIGN_OR_RETURN(unigram_, lda::RefinedUnigram(Counts(), average.noisy_topics()));
      }
      TW_ASSIGN_OR_RETURN(model, ModelOf(average));
    }
    if (recipe_.final_power >= 0) {
      average = final_average;
      TW_ASSIGN_OR_RETURN(model, ModelOf(average));
    }
    return Finish(std::move(model), average);
  }

 private:
  lda::NoisyCounts Counts() const {
    return {.noisy_counts = counts_, .noise_deviation = noise_.unigram * recipe_.unigram_clip};
  }

  lda::EStepOptions EStepOptions() const {
    return {.document_topic_prior = recipe_.alpha,
            .max_iterations = static_cast<int>(recipe_.e_step_iterations),
            .mean_change_threshold = recipe_.threshold};
  }

  double StepSize(int t) const {
    if (t == 1) return 1;
    return recipe_.rho > 0 ? recipe_.rho : lda::PolynomialStepSize(recipe_.power, t);
  }

  absl::StatusOr<lda::TopicModel> ModelWith(std::vector<float> lambda) const {
    return lda::TopicModel::Create({.num_topics = shape_.num_topics,
                                    .vocabulary_size = shape_.vocabulary_size,
                                    .document_topic_prior = recipe_.alpha,
                                    .topic_term_prior = recipe_.eta,
                                    .topic_parameters = std::move(lambda)});
  }

  // The unigram, each entry times a draw of mean 1.
  absl::StatusOr<lda::TopicModel> InitialModel() const {
    NormalDraws draws(static_cast<uint64_t>(recipe_.seed) * 7919 + 13);
    std::vector<float> lambda;
    for (int k = 0; k < shape_.num_topics; ++k) {
      for (const double p : unigram_) {
        const double factor = draws.Gamma(recipe_.init_shape) / recipe_.init_shape;
        lambda.push_back(static_cast<float>(p * std::max(factor, 1e-3)));
      }
    }
    return ModelWith(std::move(lambda));
  }

  absl::StatusOr<SimulatedRelease> Ask(lda::TopicModel model, int t) const {
    lda::LogTopics log_topics = lda::LogMeanTopics(std::move(model), task_.num_threads);
    const double exponent =
        lda::AnnealingExponent({.first = recipe_.sharpness,
                                .num_iterations = static_cast<int64_t>(recipe_.iterations),
                                .until = recipe_.anneal_until,
                                .last = recipe_.last_sharpness},
                               t);
    if (exponent != 1) log_topics = lda::Flattened(log_topics, exponent);
    return task_.wall.Release(log_topics,
                              {.e_step = EStepOptions(),
                               .clip_norm = clip_norm_,
                               .term_weights = weights_,
                               .noise_multiplier = noise_.sums[static_cast<size_t>(t - 1)],
                               .histogram_noise_multiplier = noise_.histogram});
  }

  absl::Status Take(const SimulatedRelease& release, int t, double step,
                    lda::RunningStatistic* average) const {
    const double sigma = noise_.sums[static_cast<size_t>(t - 1)];
    return average->Update({.noisy_sum = release.noisy_sum,
                            .noise_deviation = sigma > 0 ? sigma * clip_norm_ : 0,
                            .term_weights = weights_,
                            .step_size = step},
                           task_.num_threads);
  }

  absl::Status ChooseClip(const SimulatedRelease& release) {
    if (recipe_.clip_quantile <= 0 || clip_norm_ == kInfinity) return absl::OkStatus();
    const absl::StatusOr<double> chosen = lda::ChooseClipNorm(
        {.noisy_counts = release.norm_histogram, .noise_deviation = noise_.histogram},
        recipe_.clip_quantile);
    if (absl::IsFailedPrecondition(chosen.status())) return absl::OkStatus();
    TW_RETURN_IF_ERROR(chosen.status());
    clip_norm_ = *chosen;
    return absl::OkStatus();
  }

  absl::StatusOr<lda::TopicModel> ModelOf(const lda::RunningStatistic& average) const {
    const lda::NoisyTopics noisy = average.noisy_topics();
    const double eta =
        recipe_.eta_share > 0 ? lda::PriorOfShare(noisy, recipe_.eta_share) : recipe_.eta;
    if (recipe_.column_power > 0) return ColumnScaled(noisy, eta);
    if (recipe_.denoise != 0) {
      return lda::DenoisedModel({.noisy = noisy,
                                 .term_probabilities = unigram_,
                                 .document_topic_prior = recipe_.alpha,
                                 .topic_term_prior = eta},
                                denoiser_);
    }
    std::vector<float> lambda(noisy.values.begin(), noisy.values.end());
    for (size_t i = 0; i < lambda.size(); ++i) {
      const double prior =
          eta * static_cast<double>(unigram_.size()) * unigram_[i % unigram_.size()];
      lambda[i] = static_cast<float>(std::max(lambda[i], 0.0F) + prior);
    }
    return ModelWith(std::move(lambda));
  }

  absl::StatusOr<lda::TopicModel> ColumnScaled(const lda::NoisyTopics& noisy, double eta) const {
    TW_ASSIGN_OR_RETURN(lda::DenoisedTopics denoised, lda::Denoise(noisy, unigram_, denoiser_));
    std::vector<float>& means = denoised.means;
    const size_t terms = unigram_.size();
    double total = 0;
    std::vector<double> columns(terms);
    for (size_t i = 0; i < means.size(); ++i) {
      columns[i % terms] += means[i];
      total += noisy.values[i];
    }
    for (size_t i = 0; i < means.size(); ++i) {
      const size_t v = i % terms;
      const double factor =
          std::pow(total * unigram_[v] / (columns[v] + 1e-9), recipe_.column_power);
      means[i] =
          static_cast<float>(means[i] * factor + eta * static_cast<double>(terms) * unigram_[v]);
    }
    return ModelWith(std::move(means));
  }

  absl::StatusOr<Trained> Finish(lda::TopicModel model, const lda::RunningStatistic& average) {
    TW_ASSIGN_OR_RETURN(const lda::TopicQuality quality,
                        lda::TopicQuality::Create(average.noisy_topics(), unigram_));
    const int junk = quality.NumJunkTopics();
    double variance = 0;
    for (size_t v = 0; v < unigram_.size(); ++v) {
      variance += average.state().noise_variances[v] * weights_[v] * weights_[v];
    }
    return Trained{.model = std::move(model),
                   .unigram = std::move(unigram_),
                   .clip_norm = last_clip_norm_,
                   .kept_words = kept_words_,
                   .noise_deviation = std::sqrt(variance / static_cast<double>(weights_.size())),
                   .junk_topics = junk};
  }

  const Recipe& recipe_;
  const TrainingTask& task_;
  const NoiseAllocation noise_;
  const lda::RunningStatisticShape shape_;
  lda::DenoiserOptions denoiser_;
  std::vector<float> counts_;  // of the K = 1 release
  std::vector<double> unigram_;
  std::vector<float> weights_;
  double clip_norm_;
  double last_clip_norm_ = 0;
  double kept_words_ = 1;
};

}  // namespace

absl::StatusOr<Trained> TrainPrivately(const Recipe& recipe, const TrainingTask& task) {
  TW_ASSIGN_OR_RETURN(NoiseAllocation noise, AllocateNoise(recipe));
  return Training(recipe, task, std::move(noise)).Run();
}

}  // namespace topicwall::study
