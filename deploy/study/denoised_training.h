// `topicwall fit` against a simulated wall: its plans, its trainer, from the unigram to the model.
//
//   absl::StatusOr<Trained> trained = TrainDenoised(recipe, {.wall = wall, …});
//
// σ of each release is what the client finds for (ε, δ) and J + 1 releases of one price
// (client/audit/enforced_price.h), shared between sums and histogram by
// client/fit/algorithms/denoised_plans.h; the trainer is lda::DenoisedTrainer. What differs from a
// fit through the real wall is the noise's generator and that nothing is rounded to a grid
// (simulated_wall.h).
//
// `inventory` prices the J + 1 releases as vouchers of a budget made for them: the least σ that
// exact composition allows. `no_noise` leaves out noise, clip and paid unigram: the yardstick.
// Everything after a release is post-processing. Deterministic for a recipe (seed included).
#ifndef TOPICWALL_DEPLOY_STUDY_DENOISED_TRAINING_H_
#define TOPICWALL_DEPLOY_STUDY_DENOISED_TRAINING_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "deploy/study/recipe.h"
#include "deploy/study/simulated_wall.h"
#include "deploy/study/training.h"
#include "model/lda/denoise/denoised_trainer.h"

namespace topicwall::study {

struct DenoisedNoise {
  double unigram;    // σ of the release with K = 1
  double sums;       // σ of each iteration
  double histogram;  // σ_h of each release
};

// INVALID_ARGUMENT for a recipe without a budget; FAILED_PRECONDITION if no σ is enough.
absl::StatusOr<DenoisedNoise> NoiseOf(const Recipe& recipe);

absl::StatusOr<Trained> TrainDenoised(const Recipe& recipe, const TrainingTask& task);

// The parts of it, for training that asks for something else than topics (mixture_training.h).
struct BegunFit {
  DenoisedNoise noise;
  std::vector<float> weights;    // w of the terms
  lda::DenoisedTrainer trainer;  // after the unigram
};
absl::StatusOr<BegunFit> BeginDenoised(const Recipe& recipe, const TrainingTask& task);
// One iteration after the other. `ask` gives what the trainer is to take in; `average` is told of
// every release after the warm-up, with its step.
absl::StatusOr<Trained> FinishDenoised(
    const Recipe& recipe, BegunFit fit,
    absl::FunctionRef<absl::StatusOr<SimulatedRelease>(const lda::DenoisedTrainer& trainer,
                                                       const SimulatedRequest& request)>
        ask,
    absl::FunctionRef<absl::Status(const SimulatedRelease& release, double step_size)> average);

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_DENOISED_TRAINING_H_
