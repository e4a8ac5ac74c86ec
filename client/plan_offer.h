// From what an analyst wants to a plan with a price: nothing is reserved here.
//
//   absl::StatusOr<PlanOffer> offer = MakeOffer(wall, {.corpus = "notes", .num_topics = 50,
//       .iterations = 10, .sampling_rate = 1, .epsilon = 2.44});
//   offer->plan.noise_multiplier();  // the smallest σ priced at or under 2.44
//   RefusalOf(*offer);               // OK, or what reserving it now would be answered
//
// With an ε, σ is found by the enforced policy (enforced_price.h) and PricePlan must confirm
// that the plan costs at most what was asked: σ is never too small, whatever the two sides'
// arithmetic. PUBLIC.
// Errors: INVALID_ARGUMENT for a field out of its domain; FAILED_PRECONDITION if no budget is
// open or no σ is enough; INTERNAL if the wall's prices contradict its own policy; its others.
#ifndef TOPICWALL_CLIENT_PLAN_OFFER_H_
#define TOPICWALL_CLIENT_PLAN_OFFER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/wall_port.h"
#include "proto/topicwall.pb.h"

namespace topicwall::client {

struct PlanRequest {
  std::string corpus;
  int num_topics;        // K
  int iterations;        // J
  double sampling_rate;  // ν in (0, 1]
  // Exactly one of the two.
  std::optional<double> epsilon;           // of the plan alone
  std::optional<double> noise_multiplier;  // σ
  std::optional<int64_t> max_words;        // N; the wall's limit if not given
};

// All of it the wall's word, but for the plan.
struct PlanOffer {
  v1::CorpusDescription description;
  v1::BudgetStatus budget;
  v1::PlanSpec plan;
  v1::PlanPrice price;
};

// α = 1/K, no term weights, no norm histogram.
absl::StatusOr<PlanOffer> MakeOffer(WallPort& wall, const PlanRequest& request);

// OK if the plan fits, else FAILED_PRECONDITION with a PrivacyBudgetExhausted.
absl::Status RefusalOf(const PlanOffer& offer);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_PLAN_OFFER_H_
