// `topicwall fit --algorithm mixture` against a simulated wall: as denoised_training.h, of a
// mixture of multinomials (client/fit/algorithms/mixture_fit.h).
//
//   absl::StatusOr<Trained> trained = TrainMixture(recipe, {.wall = wall, …});
//   trained->component_weights   // π, beside the components' words
#ifndef TOPICWALL_DEPLOY_STUDY_MIXTURE_TRAINING_H_
#define TOPICWALL_DEPLOY_STUDY_MIXTURE_TRAINING_H_

#include "absl/status/statusor.h"
#include "deploy/study/recipe.h"
#include "deploy/study/training.h"

namespace topicwall::study {

absl::StatusOr<Trained> TrainMixture(const Recipe& recipe, const TrainingTask& task);

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_MIXTURE_TRAINING_H_
