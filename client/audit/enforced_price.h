// The enforced price of releases, computed on this side of the wall.
//
//   absl::StatusOr<accountant::AdmissionPolicy> policy = PolicyOf(budget);
//   absl::StatusOr<double> epsilon = PriceAlone(*policy, plan);
//   absl::StatusOr<double> sigma = ChooseNoiseMultiplier(*policy, {.epsilon = 2.44, …});
//
// "Enforced" is the policy that was recorded when the budget was opened, a filter or an
// inventory of vouchers (accountant/filters/admission_policy.h): the one that refuses. It is
// public, so that an analyst finds a plan's σ, and an auditor the sum of everything, without
// trusting a number of the wall's.
//
// ε in nats at the budget's δ, always an upper bound. σ = noise standard deviation ÷ clip
// norm, unitless. Errors: INVALID_ARGUMENT for a value out of its domain, FAILED_PRECONDITION
// if no σ is enough. PUBLIC. Pure functions; a price costs about 1 ms, in vouchers a composition.
#ifndef TOPICWALL_CLIENT_AUDIT_ENFORCED_PRICE_H_
#define TOPICWALL_CLIENT_AUDIT_ENFORCED_PRICE_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "accountant/events/dp_event.h"
#include "accountant/filters/admission_policy.h"
#include "accountant/ledger/policy_record.h"
#include "proto/ledger.pb.h"
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

struct PriceTarget {
  double epsilon;               // of the releases alone
  double sampling_rate;         // ν
  int64_t iterations;           // J
  double min_noise_multiplier;  // the wall's limit
};
// The smallest σ that costs at most `epsilon`, rounded up to six significant digits so that it
// can be read and typed again; the wall's limit if that is larger. Of vouchers: the smallest σ of
// a kind, whether or not others have drawn them meanwhile, so that asking again gives it again.
absl::StatusOr<double> ChooseNoiseMultiplier(const accountant::AdmissionPolicy& policy,
                                             const PriceTarget& target);

// The wall's price of releases with this σ, or, where `most` is given and the price above it, with
// a little more. `price_of` is asked in turn, last for what is returned. Both sides price by the
// same formula; if their arithmetic differs by a hair, σ is what gives way, by a hundred thousandth
// at a time. INTERNAL if that is not enough; the errors of price_of.
absl::StatusOr<v1::PlanPrice> PriceAtMost(
    double noise_multiplier, const std::optional<double>& most,
    absl::FunctionRef<absl::StatusOr<v1::PlanPrice>(double noise_multiplier)> price_of);

// Rounds a positive number up to six significant digits.
double RoundUpToSixDigits(double x);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_AUDIT_ENFORCED_PRICE_H_
