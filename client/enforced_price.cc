#include "client/enforced_price.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "accountant/status_macros.h"

namespace topicwall::client {
namespace {

using accountant::BudgetFilter;
using accountant::CostVector;
using accountant::kDeadOrder;

// From here on the filter counts an order as dead.
constexpr uint64_t kLargestSum = uint64_t{1} << 62;

}  // namespace

absl::StatusOr<BudgetFilter> FilterOf(const v1::FilterRecord& record) {
  return BudgetFilter::Create({.budget = {.epsilon = record.epsilon(), .delta = record.delta()},
                               .orders = {record.orders().begin(), record.orders().end()},
                               .weights = {record.weights().begin(), record.weights().end()},
                               .fixed_point_bits = record.fixed_point_bits()});
}

absl::StatusOr<accountant::SubsampledGaussian> ReleaseOf(
    double sampling_rate, double noise_multiplier,
    std::optional<double> histogram_noise_multiplier) {
  std::vector<double> multipliers = {noise_multiplier};
  if (histogram_noise_multiplier.has_value()) multipliers.push_back(*histogram_noise_multiplier);
  return accountant::SubsampledGaussian::Create(
      {.sampling_rate = sampling_rate, .noise_multipliers = std::move(multipliers)});
}

CostVector SpentAfter(const CostVector& spent, const CostVector& cost, int64_t count) {
  CostVector after = spent;
  if (count <= 0) return after;
  for (size_t i = 0; i < after.size(); ++i) {
    const unsigned __int128 sum =
        static_cast<unsigned __int128>(cost[i]) * static_cast<unsigned __int128>(count) + spent[i];
    const bool dead = spent[i] > kLargestSum || cost[i] > kLargestSum || sum > kLargestSum;
    after[i] = dead ? kDeadOrder : static_cast<uint64_t>(sum);
  }
  return after;
}

absl::StatusOr<double> PriceAlone(const BudgetFilter& filter, const v1::PlanSpec& plan) {
  std::optional<double> histogram;
  if (plan.has_histogram_noise_multiplier()) histogram = plan.histogram_noise_multiplier();
  TW_ASSIGN_OR_RETURN(const accountant::SubsampledGaussian release,
                      ReleaseOf(plan.sampling_rate(), plan.noise_multiplier(), histogram));
  TW_ASSIGN_OR_RETURN(const CostVector cost, filter.CostPerRelease(release));
  return filter.EpsilonUpperBound(SpentAfter(filter.NothingSpent(), cost, plan.iterations()));
}

absl::StatusOr<double> ChooseNoiseMultiplier(const BudgetFilter& filter,
                                             const PriceTarget& target) {
  TW_ASSIGN_OR_RETURN(const double smallest,
                      filter.SmallestNoiseMultiplier({.epsilon = target.epsilon,
                                                      .sampling_rate = target.sampling_rate,
                                                      .releases = target.iterations}));
  return RoundUpToSixDigits(std::max(smallest, target.min_noise_multiplier));
}

double RoundUpToSixDigits(double x) {
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(x)));
  return std::max(std::ceil(x * scale) / scale, x);
}

}  // namespace topicwall::client
