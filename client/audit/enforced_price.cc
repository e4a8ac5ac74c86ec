// The wall's policy is made anew from its public record by the same library that the wall decides
// with, and the library refuses a record that no budget can have. From there on every price is this
// side's own; PricePlan is asked only to confirm one (fit_quote.h).
#include "client/audit/enforced_price.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::client {

using accountant::AdmissionPolicy;

absl::StatusOr<double> PriceAlone(const AdmissionPolicy& policy, const v1::ReleaseSpec& plan) {
  TW_ASSIGN_OR_RETURN(const accountant::DpEvent event, EventOf(plan));
  return policy.EpsilonAlone(event);
}

absl::StatusOr<std::optional<double>> LowerPriceIfPlannedOtherwise(const AdmissionPolicy& policy,
                                                                   const v1::ReleaseSpec& plan) {
  // Less than 1 % is not worth a line of a quote.
  constexpr double kWorthSaying = 0.99;
  std::optional<double> lower;
  if (policy.filter() == nullptr) return lower;
  // The same (ε, δ), hence the same promise to people: only what it is cheap for differs.
  TW_ASSIGN_OR_RETURN(const accountant::FilterSpec spec,
                      SpecFor(Other(PlannedUseOf(policy.filter()->spec())), policy.budget()));
  const absl::StatusOr<AdmissionPolicy> otherwise = AdmissionPolicy::Create(spec);
  if (!otherwise.ok()) return lower;  // a budget so small that the other kind holds nothing
  TW_ASSIGN_OR_RETURN(const double here, PriceAlone(policy, plan));
  TW_ASSIGN_OR_RETURN(const double there, PriceAlone(*otherwise, plan));
  if (there <= kWorthSaying * here) lower = there;
  return lower;
}

absl::StatusOr<double> ChooseNoiseMultiplier(const AdmissionPolicy& policy,
                                             const PriceTarget& target) {
  TW_ASSIGN_OR_RETURN(const double smallest,
                      policy.SmallestNoiseMultiplier({.epsilon = target.epsilon,
                                                      .sampling_rate = target.sampling_rate,
                                                      .releases = target.iterations}));
  return RoundUpToSixDigits(std::max(smallest, target.min_noise_multiplier));
}

// A hundred thousandth is far more than two quadratures differ by (kPriceTolerance,
// ledger_replay.h). If four are not enough it is no rounding: the wall prices by something else
// than the policy that it shows.
absl::StatusOr<v1::PlanPrice> PriceAtMost(
    double noise_multiplier, const std::optional<double>& most,
    absl::FunctionRef<absl::StatusOr<v1::PlanPrice>(double noise_multiplier)> price_of) {
  constexpr int kTries = 4;
  double epsilon = 0;
  for (int i = 0; i < kTries; ++i) {
    TW_ASSIGN_OR_RETURN(v1::PlanPrice price, price_of(noise_multiplier));
    if (!most.has_value() || price.epsilon_alone() <= *most) return price;
    epsilon = price.epsilon_alone();
    noise_multiplier = RoundUpToSixDigits(noise_multiplier * (1 + 1e-5));
  }
  return absl::InternalError(absl::StrCat(
      "the wall prices the plan at epsilon ", epsilon, ", above the ", *most,
      " asked for, with noise that costs less by its own policy. Use --noise-multiplier, and tell "
      "the custodian."));
}

// Up, for less noise would cost more than was asked. Six digits, so that the number that is shown
// is the number that is used, and typing it gives the same plan. The division may come out below x
// again.
double RoundUpToSixDigits(double x) {
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(x)));
  return std::max(std::ceil(x * scale) / scale, x);
}

}  // namespace topicwall::client
