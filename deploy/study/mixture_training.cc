// The trainer of topics takes a release's words, and π is learned from its documents, as the client
// does it; what a checkpoint needs there is not needed here.
#include "deploy/study/mixture_training.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "client/fit/algorithms/mixture_fit.h"
#include "client/wall/topics_asked.h"
#include "deploy/study/denoised_training.h"
#include "model/lda/topics/step_size.h"
#include "model/mixture/component_weights.h"
#include "model/mixture/mixture_model.h"

namespace topicwall::study {
namespace {

struct Fit {
  const Recipe& recipe;
  const model::StatisticModel& model;
  int num_threads;
  SimulatedWall& wall;
  lda::DenoisedTrainer& trainer;
  mixture::ComponentWeights& components;
};

// Iteration t, from 1. Returns the share of words that the clip left.
absl::StatusOr<double> Iterate(const Fit& fit, int64_t t, const SimulatedRequest& request) {
  const std::vector<float> parameters =
      mixture::WithWeights(fit.trainer.NextLogTopics().values(), fit.components.Probabilities());
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::Inference> inference,
                      fit.model.Bind(parameters, fit.num_threads));
  const SimulatedRelease release = fit.wall.Release(*inference, request);
  TW_ASSIGN_OR_RETURN(const mixture::NoisyMixture noisy,
                      mixture::Split(release.noisy_sum, fit.components.num_components()));
  const int64_t averaged = t - lda::WarmUpIterations(static_cast<int64_t>(fit.recipe.iterations),
                                                     fit.recipe.warm_up_share);
  if (averaged > 0) {
    TW_RETURN_IF_ERROR(fit.components.Update(
        {.documents = noisy.documents,
         .sampling_rate = 1,
         .step_size = lda::PolynomialStepSize(fit.recipe.step_power, averaged)}));
  }
  absl::Span<const float> histogram = release.norm_histogram;
  if (fit.recipe.no_noise != 0) histogram = {};  // C stays
  TW_RETURN_IF_ERROR(
      fit.trainer.Update({.noisy_sum = noisy.words,
                          .noise_deviation = request.noise_multiplier * request.clip_norm,
                          .norm_histogram = histogram,
                          .histogram_noise_deviation = request.histogram_noise_multiplier}));
  return release.kept_words;
}

}  // namespace

absl::StatusOr<Trained> TrainMixture(const Recipe& recipe, const TrainingTask& task) {
  TW_ASSIGN_OR_RETURN(BegunFit fit, BeginDenoised(recipe, task));
  const auto num_components = static_cast<int>(recipe.num_topics);
  v1::MixtureOptions options;
  options.set_num_components(num_components);
  TW_ASSIGN_OR_RETURN(const std::unique_ptr<model::StatisticModel> model,
                      mixture::MakeMixtureModel(options.SerializeAsString(), task.vocabulary_size));
  TW_ASSIGN_OR_RETURN(mixture::ComponentWeights components,
                      mixture::ComponentWeights::Create(num_components, {}));
  fit.weights.push_back(client::kDocumentWeight);
  // A mixture's E-step has no options.
  SimulatedRequest request = {
      .e_step = {.document_topic_prior = 1, .max_iterations = 1, .mean_change_threshold = 0},
      .clip_norm = 0,
      .term_weights = fit.weights,
      .noise_multiplier = fit.noise.sums,
      .histogram_noise_multiplier = fit.noise.histogram};
  double kept_words = 1;
  for (int t = 1; t <= static_cast<int>(recipe.iterations); ++t) {
    request.clip_norm = fit.trainer.clip_norm();
    TW_ASSIGN_OR_RETURN(kept_words, Iterate({.recipe = recipe,
                                             .model = *model,
                                             .num_threads = task.num_threads,
                                             .wall = task.wall,
                                             .trainer = fit.trainer,
                                             .components = components},
                                            t, request));
  }
  TW_ASSIGN_OR_RETURN(Trained trained, FinishDenoised(fit.trainer));
  trained.component_weights = components.Probabilities();
  trained.clip_norm = recipe.no_noise != 0 ? 0 : request.clip_norm;
  trained.kept_words = kept_words;
  trained.noise_multiplier = fit.noise.unigram;  // all releases have one price
  return trained;
}

}  // namespace topicwall::study
