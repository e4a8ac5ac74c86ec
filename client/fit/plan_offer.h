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
// asked: σ is never too small, whatever the two sides' arithmetic. What the fit can be expected to
// give comes with it, so that nobody pays for noise without having been told. PUBLIC.
// Errors: INVALID_ARGUMENT for a field out of its domain, or more releases in all than the wall
// lets one plan have; FAILED_PRECONDITION if no budget is open or no σ is enough; INTERNAL if the
// wall's prices contradict its own policy; its others.
#ifndef TOPICWALL_CLIENT_FIT_PLAN_OFFER_H_
#define TOPICWALL_CLIENT_FIT_PLAN_OFFER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/audit/enforced_price.h"
#include "client/fit/checkpoint.h"
#include "client/fit/fit_expectation.h"
#include "client/wall/wall_port.h"
#include "model/lda/denoise/noise_model.h"
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
  CorpusGuess guess = {};                  // for what is expected of it; of no effect on the plan
};

// All of it the wall's word, but for the plan.
struct PlanOffer {
  v1::CorpusDescription description;
  v1::BudgetStatus budget;
  FitPlans plans;
  v1::PlanPrice price;  // of all their releases
  // Ours, not the wall's; none if nobody says how large the corpus is (fit_expectation.h).
  std::optional<lda::ExpectedSignal> expected;
  CorpusGuess guess = {};  // what that rests on, beside the custodian's word
};

// α = 1/K, of `denoised` 2/K (deploy/study/EXPERIMENTS.md); term weights are not there yet.
absl::StatusOr<PlanOffer> MakeOffer(WallPort& wall, const PlanRequest& request);

// The budget of a corpus, which states a policy.
absl::StatusOr<v1::BudgetStatus> OpenBudget(WallPort& wall, absl::string_view corpus);

// What the noise of `request`, which names an ε, has to meet.
PriceTarget TargetOf(const PlanRequest& request, const v1::CorpusDescription& description);

// FAILED_PRECONDITION, saying why and what to do, where nothing can be charged at present.
absl::Status CheckOpen(const v1::CorpusDescription& description);

// OK if the plan can be reserved, else what CheckOpen says, or FAILED_PRECONDITION with a
// PrivacyBudgetExhausted.
absl::Status RefusalOf(const PlanOffer& offer);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_PLAN_OFFER_H_
