// Algorithm `denoised`: two stages, how they share a price, and what is made of their releases.
//
//   unigram   one release with K = 1 and no weights. It gives p, the private unigram; of that, the
//             term weights of the other plan, and whether an initial model is used
//             (initial_model.h)
//   topics    J releases, each with the norm histogram that the next clip norm is chosen from (a
//             fiftieth of its μ² = 1/σ_eff²). The first are a warm-up with uniform topics, which
//             refines p (model/lda/denoise/denoised_trainer.h)
//
// All J + 1 releases have one price, of σ_eff each, which makes the whole the price of J + 1
// releases of one kind, under a filter and with vouchers alike. Weights do not change a price, so
// the plan of the topics is priced before it has them.
//
// PUBLIC. Pure. INVALID_ARGUMENT for a noise multiplier or a unigram that cannot be one.
#ifndef TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_FIT_H_
#define TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_FIT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/fit/fit_algorithm.h"
#include "model/lda/denoise/denoised_trainer.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// C of the unigram's release, in words: the weights of all words of a document together are in one
// topic, so it is larger than that of topics.
inline constexpr double kUnigramClipNorm = 5;
inline constexpr double kHistogramShare = 0.02;
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
absl::StatusOr<std::string> InitialDenoisedState(const FitSpec& spec,
                                                 const lda::Vocabulary& vocabulary);
absl::StatusOr<std::unique_ptr<FitAlgorithm>> RestoreDenoised(const v1::CheckpointFile& checkpoint,
                                                              const lda::DenoisedRecipe& recipe);

// J + 1, of both plans.
int64_t DenoisedReleases(int iterations);

struct DenoisedPlans {
  v1::ReleaseSpec unigram;
  v1::ReleaseSpec topics;  // without term weights
};

// `topics`: everything but noise.
absl::StatusOr<DenoisedPlans> PlanDenoised(const v1::ReleaseSpec& topics, double noise_multiplier);

// As ReleaseSpec.weights wants them.
absl::StatusOr<std::string> TermWeightsOf(absl::Span<const double> unigram);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_FIT_H_
