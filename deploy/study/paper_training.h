// The paper's Algorithm 1 against a simulated wall, and the forms of it that it is compared with.
//
//   absl::StatusOr<Trained> trained = TrainAsPublished(recipe, {.wall = wall, …});
//
// One epoch of J = D/S iterations, each over documents drawn with probability ν = S/D; topics start
// at Gamma(100) draws, ℓ = E[log β], α = η = 1/K, E-step of `topicwall fit --algorithm paper`. By
// the recipe's choices:
//   as it is          every document clipped to C, negatives of each release set to 0
//                     (lda::PaperMStep): Algorithm 1 with the only clip that keeps its guarantee
//   signed_average    Y ← (1 − ρ_t)Y + ρ_t·sum/ν signed, λ = η + max(Y, 0)
//   unpaid_quantile   C is that quantile of the norms of the iteration before, without noise: what
//                     a lucky guess of C would give. Not private
//   whole_batch       the sum of the batch is projected to the radius C, to the letter of the
//                     pseudocode, at noise σC. Not (ε, δ) for the ε of σ: its sensitivity is 1.342C
// no_noise leaves out noise and clip. Deterministic for a recipe (seed included).
#ifndef TOPICWALL_DEPLOY_STUDY_PAPER_TRAINING_H_
#define TOPICWALL_DEPLOY_STUDY_PAPER_TRAINING_H_

#include "absl/status/statusor.h"
#include "deploy/study/recipe.h"
#include "deploy/study/training.h"

namespace topicwall::study {

// INVALID_ARGUMENT unless 0 < S <= D, and for what the M-step refuses.
absl::StatusOr<Trained> TrainAsPublished(const Recipe& recipe, const TrainingTask& task);

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_PAPER_TRAINING_H_
