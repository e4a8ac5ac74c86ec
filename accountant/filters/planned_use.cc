#include "accountant/filters/planned_use.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "absl/status/status.h"
#include "accountant/accountants/moment_table.h"
#include "accountant/accountants/noise_calibration.h"
#include "accountant/events/dp_event.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

// Of δ: for what is planned, for the best other kind, for all that is left together.
constexpr double kMainWeight = 0.9;
constexpr double kSecondWeight = 0.09;
constexpr double kTogether = 0.01;
constexpr double kSamplingRate = 0.05;
constexpr double kReleases = 20;

// Integers where budgets of ordinary size have their best order, small ones for large ε, a few
// large ones for very small prices. Every order more thins out the weights of the others, and a
// price is a moment at each.
std::vector<double> DefaultOrders() {
  std::vector<double> orders = {1.25, 1.5, 1.75, 2, 2.5, 3, 3.5};
  for (int order = 4; order <= 64; ++order) orders.push_back(order);
  for (const double order : {80.0, 96.0, 128.0, 256.0, 512.0, 1024.0}) orders.push_back(order);
  return orders;
}

// B(a) of every order, at the weight it would have as the main one.
std::vector<double> Budgets(const FilterSpec& spec, double weight) {
  const double log_failure = LogFailureProbability(weight, spec.budget.delta);
  std::vector<double> budgets;
  for (const double order : spec.orders) {
    budgets.push_back(spec.budget.epsilon - ConversionCostUpperBound(order, log_failure));
  }
  return budgets;
}

// How many sampled releases fit at each order.
absl::StatusOr<std::vector<double>> SampledReleasesThatFit(const FilterSpec& spec, double weight,
                                                           double noise_multiplier) {
  TW_ASSIGN_OR_RETURN(const SubsampledGaussian release,
                      SubsampledGaussian::Create({.sampling_rate = kSamplingRate,
                                                  .noise_multipliers = {noise_multiplier}}));
  const MomentTable moments(release, spec.orders.back());
  std::vector<double> fit = Budgets(spec, weight);
  for (size_t i = 0; i < fit.size(); ++i) {
    const double price = moments.LogMomentUpperBound(spec.orders[i]) / (spec.orders[i] - 1);
    fit[i] = fit[i] <= 0 || !std::isfinite(price) ? std::min(fit[i], 0.0) : fit[i] / price;
  }
  return fit;
}

size_t LargestOf(const std::vector<double>& values) {
  return static_cast<size_t>(
      std::distance(values.begin(), std::max_element(values.begin(), values.end())));
}

// First the least noise at which 20 releases fit at some order; there, the order at which most fit.
// At any other noise another order may be best, and one that suits no schedule at all.
absl::StatusOr<size_t> OrderForSampled(const FilterSpec& spec, double weight) {
  const absl::StatusOr<double> least =
      SmallestNoiseMultiplierThat([&](double noise_multiplier) -> absl::StatusOr<bool> {
        TW_ASSIGN_OR_RETURN(const std::vector<double> fit,
                            SampledReleasesThatFit(spec, weight, noise_multiplier));
        return *std::max_element(fit.begin(), fit.end()) >= kReleases;
      });
  if (!least.ok() && !absl::IsFailedPrecondition(least.status())) return least.status();
  // Where no noise is enough for 20, any order will do.
  TW_ASSIGN_OR_RETURN(
      const std::vector<double> fit,
      SampledReleasesThatFit(spec, weight, least.ok() ? *least : kLargestNoiseMultiplier));
  return LargestOf(fit);
}

// Multiples of 2^-32 add up without rounding, and rounded down they come to at most 1: more would
// be δ that there is not.
double RoundDownToWeight(double share) {
  return std::ldexp(std::floor(std::ldexp(share, 32)), -32);
}

}  // namespace

absl::string_view NameOf(PlannedUse use) {
  return use == PlannedUse::kFullBatch ? "full-batch" : "sampled";
}

std::optional<PlannedUse> PlannedUseOfName(absl::string_view name) {
  for (const PlannedUse use : {PlannedUse::kFullBatch, PlannedUse::kSampled}) {
    if (name == NameOf(use)) return use;
  }
  return std::nullopt;
}

PlannedUse PlannedUseOf(const FilterSpec& spec) {
  return spec.gaussian_weight > 0 ? PlannedUse::kFullBatch : PlannedUse::kSampled;
}

PlannedUse Other(PlannedUse use) {
  return use == PlannedUse::kFullBatch ? PlannedUse::kSampled : PlannedUse::kFullBatch;
}

absl::StatusOr<FilterSpec> SpecFor(PlannedUse use, const PrivacyParams& budget) {
  TW_RETURN_IF_ERROR(ValidateFilterBudget(budget));
  FilterSpec spec = {.budget = budget, .orders = DefaultOrders(), .weights = {}};
  const bool full_batch = use == PlannedUse::kFullBatch;
  const double main_weight = full_batch ? kSecondWeight : kMainWeight;
  const double together = full_batch ? kTogether : kSecondWeight + kTogether;
  TW_ASSIGN_OR_RETURN(const size_t main, OrderForSampled(spec, main_weight));
  const double others = static_cast<double>(spec.orders.size() - 1);
  spec.weights.assign(spec.orders.size(), RoundDownToWeight(together / others));
  spec.weights[main] = RoundDownToWeight(main_weight);
  if (full_batch) spec.gaussian_weight = RoundDownToWeight(kMainWeight);
  return spec;
}

}  // namespace topicwall::accountant
