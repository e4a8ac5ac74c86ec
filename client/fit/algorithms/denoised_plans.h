// The plans of algorithm `denoised` (denoised_fit.h), and how they share a price.
//
// All J + 1 releases have one price, of σ_eff each, which makes the whole the price of J + 1
// releases of one kind, under a filter and with vouchers alike. Weights do not change a price, so
// the plan of the topics is priced before it has them.
//
// PUBLIC. Pure. INVALID_ARGUMENT for a noise multiplier or a unigram that cannot be one.
#ifndef TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_PLANS_H_
#define TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_PLANS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// C of the unigram's release, in words: the weights of all words of a document together are in one
// topic, so it is larger than that of topics.
inline constexpr double kUnigramClipNorm = 5;
inline constexpr double kHistogramShare = 0.02;

// J + 1, of both plans.
int64_t DenoisedReleases(int iterations);

// The most topics that the custodian's limits let one ask for, or components of a mixture: each has
// a number more than terms, that of its documents.
int MostRows(const v1::CorpusDescription& description, bool is_mixture);

struct DenoisedPlans {
  v1::ReleaseSpec unigram;
  v1::ReleaseSpec topics;  // without term weights
};

// `topics`: everything but noise.
absl::StatusOr<DenoisedPlans> PlanDenoised(const v1::ReleaseSpec& topics, double noise_multiplier);

// As ReleaseSpec.weights wants them.
absl::StatusOr<std::string> TermWeightsOf(absl::Span<const double> unigram);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ALGORITHMS_DENOISED_PLANS_H_
