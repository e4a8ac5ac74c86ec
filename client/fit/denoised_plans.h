// The two plans of a denoised fit, and how they share a price.
//
//   absl::StatusOr<DenoisedPlans> plans = PlanDenoised(topics, noise_multiplier);
//   // reserve and run plans->unigram; then, before plans->topics is reserved:
//   topics.set_term_weights(*TermWeightsOf(unigram))
//
// A fit of J iterations is J + 1 releases of one price, of σ_eff each: one with K = 1 and no
// weights, of which the unigram and the weights are made, and J of the topics, each with the norm
// histogram that the next clip norm is chosen from (a fiftieth of its μ² = 1/σ_eff²). One price for
// all makes the whole the price of J + 1 releases of one kind, under a filter and with vouchers
// alike. Weights do not change a price, so the plan of the topics is priced before it has them.
//
// PUBLIC. Pure. INVALID_ARGUMENT for a noise multiplier or a unigram that cannot be one.
#ifndef TOPICWALL_CLIENT_FIT_DENOISED_PLANS_H_
#define TOPICWALL_CLIENT_FIT_DENOISED_PLANS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/topicwall.pb.h"

namespace topicwall::client {

// C of the unigram's release, in words: the weights of all words of a document together are in one
// topic, so it is larger than that of topics.
inline constexpr double kUnigramClipNorm = 5;
inline constexpr double kHistogramShare = 0.02;
// Kα of the topics' plan: 1 to 2 points better than 1 (deploy/study/EXPERIMENTS.md, "α").
inline constexpr double kDenoisedTotalPrior = 2;

// J + 1, of both plans.
int64_t DenoisedReleases(int iterations);

struct DenoisedPlans {
  v1::PlanSpec unigram;
  v1::PlanSpec topics;  // without term weights
};

// `topics`: everything but noise.
absl::StatusOr<DenoisedPlans> PlanDenoised(const v1::PlanSpec& topics, double noise_multiplier);

// As PlanSpec.term_weights wants them.
absl::StatusOr<std::string> TermWeightsOf(absl::Span<const double> unigram);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_DENOISED_PLANS_H_
