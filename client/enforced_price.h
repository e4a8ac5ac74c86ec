// The enforced price of releases, computed on this side of the wall.
//
//   absl::StatusOr<accountant::BudgetFilter> filter = FilterOf(budget.filter());
//   absl::StatusOr<double> epsilon = PriceAlone(*filter, plan);
//   absl::StatusOr<double> sigma = ChooseNoiseMultiplier(*filter, {.epsilon = 2.44, …});
//
// "Enforced" is the weighted Rényi filter that was recorded when the budget was opened
// (accountant/budget_filter.h): the one that refuses. It is public, so that an analyst finds a
// plan's σ, and an auditor the sum of everything, without trusting a number of the wall's.
//
// ε in nats at the budget's δ, always an upper bound. σ = noise standard deviation ÷ clip
// norm, unitless. Errors: INVALID_ARGUMENT for a value out of its domain, FAILED_PRECONDITION
// if no σ is enough. PUBLIC. Pure functions; a price costs about 1 ms.
#ifndef TOPICWALL_CLIENT_ENFORCED_PRICE_H_
#define TOPICWALL_CLIENT_ENFORCED_PRICE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "accountant/budget_filter.h"
#include "accountant/dp_event.h"
#include "proto/topicwall.pb.h"

namespace topicwall::client {

// The filter that a ledger or GetBudget states. INVALID_ARGUMENT if it is none.
absl::StatusOr<accountant::BudgetFilter> FilterOf(const v1::FilterRecord& record);

// What one release is to an accountant: ν and the multipliers of all statistics that share
// its coins. The histogram's is absent if there is none.
absl::StatusOr<accountant::SubsampledGaussian> ReleaseOf(
    double sampling_rate, double noise_multiplier,
    std::optional<double> histogram_noise_multiplier);

// `spent` and `count` more releases, whether or not a budget would admit them; an order that
// would pass the filter's range is dead. Vectors of one filter; count >= 0.
accountant::CostVector SpentAfter(const accountant::CostVector& spent,
                                  const accountant::CostVector& cost, int64_t count);

// ε of the whole plan, starting from nothing; infinity if no order can hold it.
absl::StatusOr<double> PriceAlone(const accountant::BudgetFilter& filter, const v1::PlanSpec& plan);

struct PriceTarget {
  double epsilon;               // of the plan alone
  double sampling_rate;         // ν
  int64_t iterations;           // J
  double min_noise_multiplier;  // the wall's limit
};
// The smallest σ that costs at most `epsilon`, rounded up to six significant digits so that it
// can be read and typed again; the wall's limit if that is larger.
absl::StatusOr<double> ChooseNoiseMultiplier(const accountant::BudgetFilter& filter,
                                             const PriceTarget& target);

// Rounds a positive number up to six significant digits.
double RoundUpToSixDigits(double x);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_ENFORCED_PRICE_H_
