// The enforced price of releases, computed on this side of the wall.
//
//   absl::StatusOr<accountant::AdmissionPolicy> policy = PolicyOf(budget);
//   absl::StatusOr<double> epsilon = PriceAlone(*policy, plan);
//   absl::StatusOr<double> sigma = ChooseNoiseMultiplier(*policy, 2.44, {…});
//
// "Enforced" is the policy that was recorded when the budget was opened, a filter or an
// inventory of vouchers (accountant/filters/admission_policy.h): the one that refuses. It is
// public, so that an analyst finds a plan's σ, and an auditor the sum of everything, without
// trusting a number of the wall's.
//
// A wall is asked for a price all the same, and says of itself whether a plan fits; of what it
// promises nothing is its word: PriceAtMost. What it reserved is held against the quote by its
// receipt: CheckReserved.
//
// ε in nats at the budget's δ, always an upper bound. σ = noise standard deviation ÷ clip
// norm, unitless. Errors: INVALID_ARGUMENT for a value out of its domain, FAILED_PRECONDITION
// if no σ is enough. PUBLIC. Pure functions but PriceAtMost; a price costs about 1 ms, in vouchers
// a composition.
#ifndef TOPICWALL_CLIENT_AUDIT_ENFORCED_PRICE_H_
#define TOPICWALL_CLIENT_AUDIT_ENFORCED_PRICE_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/events/dp_event.h"
#include "accountant/filters/admission_policy.h"
#include "accountant/ledger/policy_record.h"
#include "client/wall/wall_port.h"
#include "proto/ledger.pb.h"
#include "proto/model.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// The policy that GetBudget, or a ledger's first event, states; all releases of a plan.
using accountant::ledger::EventOf;
using accountant::ledger::PolicyOf;

// ε of the whole plan, as if nothing else had been spent; infinity if nothing can hold it.
absl::StatusOr<double> PriceAlone(const accountant::AdmissionPolicy& policy,
                                  const v1::ReleaseSpec& plan);

// The same, under a filter of the same (ε, δ) planned for the other kind of releases than the
// budget's (accountant/filters/planned_use.h), where that is at least 1 % less: what the
// custodian's choice at opening costs this plan. nullopt otherwise, or for an inventory. Cost: 10
// ms.
absl::StatusOr<std::optional<double>> LowerPriceIfPlannedOtherwise(
    const accountant::AdmissionPolicy& policy, const v1::ReleaseSpec& plan);

// Releases of which σ is sought.
struct NoiseTarget {
  double sampling_rate;         // ν
  int64_t releases;             // of the whole plan
  double min_noise_multiplier;  // the wall's limit
};
// The smallest σ with which they alone cost at most `epsilon`, rounded up to six significant digits
// so that it can be read and typed again; the wall's limit if that is larger. Of vouchers: the
// smallest σ of a kind, whether or not others have drawn them meanwhile, so that asking again gives
// it again.
absl::StatusOr<double> ChooseNoiseMultiplier(const accountant::AdmissionPolicy& policy,
                                             double epsilon, const NoiseTarget& target);

// Whether two ε can be one that both sides computed, each with its own quadrature or convolution.
bool IsSameEpsilon(const accountant::AdmissionPolicy& policy, double a, double b);

// Whose price is asked for: the policy is the chain's (AccountOf, wall_audit.h), and so is the sum.
struct PricedBudget {
  const accountant::AdmissionPolicy& policy;
  const v1::BudgetSum& sum;
};
// The price of releases with this σ, or, where `most` is given and the wall's price above it, with
// a little more. `plan_of` is asked in turn, last for what is returned. Both sides price by the
// same formula; if their arithmetic differs by a hair, σ is what gives way, by a hundred thousandth
// at a time. What the price says of the budget and of all budgets together is this side's own; that
// the plan fits, how many would, and what other accountants say for information, the wall's.
// INTERNAL if σ has given way and that was not enough; DATA_LOSS if the wall's ε of the plan alone
// is not this side's; the errors of plan_of and the wall's.
absl::StatusOr<v1::PlanPrice> PriceAtMost(
    WallPort& wall, const PricedBudget& budget, double noise_multiplier,
    const std::optional<double>& most,
    absl::FunctionRef<absl::StatusOr<v1::ReleaseSpec>(double noise_multiplier)> plan_of);

// Notes in a plan that is about to be reserved by which policy it was quoted. `budget`:
// AccountOf's.
void NoteQuoted(const v1::BudgetStatus& budget, v1::FitPlan& plan);
// Whether a reservation's receipt is of that price: (ε, δ) of the budget and the cost of the plan.
// DATA_LOSS, with both numbers, if it is not, or there is none. OK for a plan without a note.
// `state`: whose receipt holds (receipted_wall.h).
absl::Status CheckReserved(const v1::FitPlan& plan, const v1::PlanState& state);

// Rounds a positive number up to six significant digits.
double RoundUpToSixDigits(double x);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_ENFORCED_PRICE_H_
