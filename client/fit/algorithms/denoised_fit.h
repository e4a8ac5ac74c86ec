// Algorithm `denoised`: two stages, and what is made of their releases.
//
//   unigram   one release with K = 1 and no weights. It gives p, the private unigram; of that, the
//             term weights of the other plan, and whether an initial model is used
//             (initial_model.h)
//   topics    J releases, each with the norm histogram that the next clip norm is chosen from (a
//             fiftieth of its μ² = 1/σ_eff²). The first are a warm-up with uniform topics, which
//             refines p (model/lda/denoise/denoised_trainer.h)
//
// How they share a price: denoised_plans.h. PUBLIC. INVALID_ARGUMENT for a state that is none of
// its.
#ifndef TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_FIT_H_
#define TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_FIT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/fit/algorithms/denoised_plans.h"
#include "client/fit/fit_algorithm.h"
#include "model/lda/denoise/denoised_trainer.h"
#include "proto/model.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// Kα of the topics' plan: 1 to 2 points better than 1 (deploy/study/EXPERIMENTS.md, "α").
inline constexpr double kDenoisedTotalPrior = 2;
// J: its average keeps the same noise whatever J (model/lda/denoise/noise_model.h), so more
// iterations are more annealing for nothing, until there is nothing left to anneal.
inline constexpr int kMostUsefulIterations = 40;

FitMethod DenoisedMethod();

// The parts of it, for an algorithm that is made of the same two stages (mixture_fit.h).
inline constexpr int kUnigramStage = 0, kTopicsStage = 1;
absl::StatusOr<std::vector<v1::FitStage>> DenoisedStages(const v1::ReleaseSpec& topics,
                                                         const FitSpec& spec,
                                                         const v1::CorpusDescription& description);
absl::StatusOr<v1::DenoisedState> InitialDenoisedState(const FitSpec& spec,
                                                       const lda::Vocabulary& vocabulary);
absl::StatusOr<std::unique_ptr<FitAlgorithm>> RestoreDenoised(const v1::CheckpointFile& checkpoint,
                                                              const lda::DenoisedRecipe& recipe);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_FIT_H_
