// From what an analyst wants to a plan with a price: nothing is reserved here.
//
//   absl::StatusOr<PlanOffer> offer = MakeOffer(wall, {.corpus = "notes", .algorithm = kDenoised,
//       .num_topics = 50, .iterations = 20, .sampling_rate = 1, .epsilon = 2.44});
//   offer->price;       // of all releases of the fit together
//   RefusalOf(*offer);  // OK, or what reserving it now would be answered
//
// A fit is J releases of one price, by algorithm `denoised` J + 1 (denoised_plans.h): σ_eff of
// each is given, or the smallest that a given ε allows. It is found by the enforced policy
// (enforced_price.h), and PricePlan must confirm that all releases together cost at most what was
// asked: σ is never too small, whatever the two sides' arithmetic. PUBLIC.
// Errors: INVALID_ARGUMENT for a field out of its domain; FAILED_PRECONDITION if no budget is
// open or no σ is enough; INTERNAL if the wall's prices contradict its own policy; its others.
#ifndef TOPICWALL_CLIENT_PLAN_OFFER_H_
#define TOPICWALL_CLIENT_PLAN_OFFER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/checkpoint.h"
#include "client/enforced_price.h"
#include "client/wall_port.h"
#include "proto/topicwall.pb.h"

namespace topicwall::client {

struct PlanRequest {
  std::string corpus;
  std::string algorithm;  // a name of fit_algorithm.h
  int num_topics;         // K
  int iterations;         // J
  double sampling_rate;   // ν in (0, 1]
  // Exactly one of the two.
  std::optional<double> epsilon;           // of the fit alone
  std::optional<double> noise_multiplier;  // σ_eff of each release
  std::optional<int64_t> max_words;        // N; the wall's limit if not given
  double held_out_share = 0;               // of the units, left out for evaluations; in [0, 1)
};

// All of it the wall's word, but for the plan.
struct PlanOffer {
  v1::CorpusDescription description;
  v1::BudgetStatus budget;
  FitPlans plans;
  v1::PlanPrice price;  // of all their releases
};

// α = 1/K; term weights are not there yet.
absl::StatusOr<PlanOffer> MakeOffer(WallPort& wall, const PlanRequest& request);

// What the noise of `request`, which names an ε, has to meet.
PriceTarget TargetOf(const PlanRequest& request, const v1::CorpusDescription& description);

// OK if the plan fits, else FAILED_PRECONDITION with a PrivacyBudgetExhausted.
absl::Status RefusalOf(const PlanOffer& offer);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PLAN_OFFER_H_
