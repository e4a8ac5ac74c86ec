// Every decision is one comparison: at some witness, spent + n·price is within budget, in integers
// (AdmitUpTo). Budget, caps and meter differ only in the ε that a limit is made of; `offsets_`
// turns a limit into each order's own budget. Real numbers come in twice: where what a witness may
// spend is made of ε, rounded down, and where a release is priced, rounded up. Odometer and profile
// are for those who ask, and decide nothing.
#include "accountant/filters/budget_filter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/accountants/moment_table.h"
#include "accountant/accountants/noise_calibration.h"
#include "accountant/events/privacy_params.h"
#include "accountant/filters/attack_bounds.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

// More than all roundings of a price together, and so little that nobody pays for it: 1e-12 of it.
constexpr double kPriceMargin = 1 + 0x1p-40;

bool IsDead(uint64_t sum) { return sum > kLargestSum; }

// spent + count·cost, or kDeadOrder once that passes 2^62. In 128 bits: both factors may be near
// 2^62, and a sum that wrapped would look like hardly anything spent.
uint64_t Add(uint64_t spent, uint64_t cost, int64_t count) {
  if (count <= 0) return spent;
  if (IsDead(spent) || IsDead(cost)) return kDeadOrder;
  const unsigned __int128 sum =
      static_cast<unsigned __int128>(cost) * static_cast<unsigned __int128>(count) + spent;
  return sum > kLargestSum ? kDeadOrder : static_cast<uint64_t>(sum);
}

bool NothingIn(const CostVector& spent) {
  return std::all_of(spent.begin(), spent.end(), [](uint64_t sum) { return sum == 0; });
}

// The smallest double that is at least units · 2^-bits.
double NatsUpperBound(int64_t units, int bits) {
  double nats = static_cast<double>(units);  // |units| < 2^63; rounded to nearest
  if (static_cast<__int128>(nats) < units) {
    nats = std::nextafter(nats, std::numeric_limits<double>::infinity());
  }
  return std::ldexp(nats, -bits);
}

}  // namespace

absl::StatusOr<FilterSpec> BudgetFilter::DefaultSpec(const PrivacyParams& budget,
                                                     PlannedUse planned) {
  return SpecFor(planned, budget);
}

absl::StatusOr<BudgetFilter> BudgetFilter::Create(const FilterSpec& spec) {
  TW_RETURN_IF_ERROR(Validate(spec));
  std::vector<int64_t> offsets;
  for (size_t i = 0; i < spec.orders.size(); ++i) {
    // Rounded up, so that what is left of ε at this order, B(a) = ε − offset, is rounded down.
    const double offset = ConversionCostUpperBound(
        spec.orders[i], LogFailureProbability(spec.weights[i], spec.budget.delta));
    offsets.push_back(static_cast<int64_t>(std::ceil(std::ldexp(offset, spec.fixed_point_bits))));
  }
  BudgetFilter filter(spec, std::move(offsets));
  // The cheapest release that can be priced. A budget that not even this fits into would be opened,
  // irrevocably, for nothing.
  const CostVector least(filter.entries(), 1);
  if (filter.MostReleases(filter.NothingSpent(), least) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("epsilon ", spec.budget.epsilon,
                                                   " is too small for delta ", spec.budget.delta,
                                                   ": no witness could admit a release."));
  }
  return filter;
}

BudgetFilter::BudgetFilter(const FilterSpec& spec, std::vector<int64_t> offsets)
    : spec_(spec), offsets_(std::move(offsets)) {
  if (spec_.gaussian_weight == 0) return;
  gaussian_.emplace(spec_.gaussian_weight, spec_.budget.delta);
  gaussian_budget_ = gaussian_->BudgetAt(FixedPointLowerBound(spec_.budget.epsilon));
}

// Limits are rounded down and prices up: what fits in these integers fits in the real numbers.
int64_t BudgetFilter::FixedPointLowerBound(double epsilon) const {
  return static_cast<int64_t>(std::floor(std::ldexp(epsilon, spec_.fixed_point_bits)));
}

absl::StatusOr<CostVector> BudgetFilter::CostPerRelease(const SubsampledGaussian& release) const {
  CostVector cost;
  cost.reserve(entries());
  // One table for all orders, of which the last is the largest.
  const MomentTable moments(release, spec_.orders.back());
  for (const double order : spec_.orders) {
    const double rdp = moments.LogMomentUpperBound(order) / (order - 1);
    // The margin covers the rounding of this division and of the product, the ceiling the grid.
    const double units = std::ceil(std::ldexp(rdp * kPriceMargin, spec_.fixed_point_bits));
    const bool priced = units <= static_cast<double>(kLargestSum);  // false for NaN
    // Never 0, or there would be a release of which any number is free. An order whose divergence
    // is too large cannot witness this release, but others may.
    cost.push_back(priced ? std::max<uint64_t>(1, static_cast<uint64_t>(units)) : kDeadOrder);
  }
  if (gaussian_.has_value()) cost.push_back(GaussianCostPerRelease(release.noise_multiplier()));
  if (std::all_of(cost.begin(), cost.end(), IsDead)) {
    return absl::InvalidArgumentError(
        absl::StrCat("noise_multiplier ", release.noise_multiplier(),
                     " is too small to have a price. Ask for more noise."));
  }
  return cost;
}

std::optional<BudgetFilter::Admission> BudgetFilter::AdmitUpTo(int64_t limit,
                                                               const CostVector& spent,
                                                               const CostVector& cost,
                                                               int64_t count) const {
  if (spent.size() != entries() || cost.size() != entries() || !ValidateCount(count).ok()) {
    return std::nullopt;
  }
  CostVector after = SpentAfter(spent, cost, count);
  if (NothingIn(after)) {
    // With nothing spent no conversion to (ε, δ) is needed, whose constant term alone may pass ε.
    return Admission{.spent_after = std::move(after), .witness_order = spec_.orders.front()};
  }
  // One witness is enough: each has a share of δ of its own, spent whether it is ever used or not,
  // so the choice among them may depend on everything seen so far.
  for (size_t i = 0; i < offsets_.size(); ++i) {
    if (IsDead(after[i]) || static_cast<int64_t>(after[i]) + offsets_[i] > limit) continue;
    return Admission{.spent_after = std::move(after), .witness_order = spec_.orders[i]};
  }
  if (gaussian_.has_value() && gaussian_->Holds(limit, after.back())) {
    return Admission{.spent_after = std::move(after), .witness_order = kInfinity};
  }
  return std::nullopt;
}

std::optional<BudgetFilter::Admission> BudgetFilter::Admit(const CostVector& spent,
                                                           const CostVector& cost, int64_t count,
                                                           double epsilon_cap) const {
  if (!(epsilon_cap > 0)) return std::nullopt;
  // A cap above the budget caps nothing: the budget's own ε is the limit then.
  const double cap = std::min(epsilon_cap, spec_.budget.epsilon);
  return AdmitUpTo(FixedPointLowerBound(cap), spent, cost, count);
}

CostVector BudgetFilter::SpentAfter(const CostVector& spent, const CostVector& cost,
                                    int64_t count) const {
  CostVector after = spent;
  for (size_t i = 0; i < std::min(spent.size(), cost.size()); ++i) {
    after[i] = Add(spent[i], cost[i], count);
  }
  return after;
}

// The exact inverse of Add for counts that were added with the same cost: in integers a plan that
// is cancelled leaves no residue, and returning more than was spent is an error, not a small
// negative sum.
absl::StatusOr<CostVector> BudgetFilter::Refund(const CostVector& spent, const CostVector& cost,
                                                int64_t count) const {
  if (spent.size() != entries() || cost.size() != entries()) {
    return absl::InvalidArgumentError(
        absl::StrCat("spent and cost must have one entry per witness, ", entries(), "; got ",
                     spent.size(), " and ", cost.size(), "."));
  }
  TW_RETURN_IF_ERROR(ValidateCount(count));
  CostVector left(entries());
  for (size_t i = 0; i < entries(); ++i) {
    // How much too much was added is not known any more, so nothing brings a dead order back.
    if (IsDead(spent[i])) {
      left[i] = kDeadOrder;
      continue;
    }
    const uint64_t returned = Add(0, cost[i], count);
    if (returned > spent[i]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "count must not return more than was spent; got ", count, " at witness ", i, "."));
    }
    left[i] = spent[i] - returned;
  }
  return left;
}

int64_t BudgetFilter::MostReleases(const CostVector& spent, const CostVector& cost,
                                   double epsilon_cap) const {
  if (spent.size() != entries() || cost.size() != entries() || !(epsilon_cap > 0)) return 0;
  const int64_t limit = FixedPointLowerBound(std::min(epsilon_cap, spec_.budget.epsilon));
  int64_t most = 0;
  for (size_t i = 0; i < offsets_.size(); ++i) {
    if (IsDead(spent[i]) || IsDead(cost[i]) || cost[i] == 0) continue;
    // May be negative, for an order that is spent beyond the limit: then it gives none.
    const int64_t left = limit - offsets_[i] - static_cast<int64_t>(spent[i]);
    most = std::max(most, left / static_cast<int64_t>(cost[i]));
  }
  if (gaussian_.has_value() && cost.back() != 0) {
    const uint64_t budget = gaussian_->BudgetAt(limit);  // 2^62 at most, so nothing dead fits
    const uint64_t left = budget - std::min(budget, spent.back());
    most = std::max(most, static_cast<int64_t>(left / cost.back()));
  }
  return std::min(most, kMostReleases);
}

// Made of the integers that AdmitUpTo compares, converted upwards at the very end: the two cannot
// disagree, which is what the header promises.
double BudgetFilter::EpsilonUpperBound(const CostVector& spent) const {
  if (spent.size() != entries()) return kInfinity;
  if (NothingIn(spent)) return 0;
  double least = kInfinity;
  for (size_t i = 0; i < offsets_.size(); ++i) {
    if (IsDead(spent[i])) continue;
    least = std::min(least, NatsUpperBound(static_cast<int64_t>(spent[i]) + offsets_[i],
                                           spec_.fixed_point_bits));
  }
  if (gaussian_.has_value()) {
    const std::optional<int64_t> units = gaussian_->LeastEpsilon(spent.back());
    if (units.has_value()) least = std::min(least, NatsUpperBound(*units, spec_.fixed_point_bits));
  }
  return std::max(least, 0.0);
}

double BudgetFilter::OdometerUpperBound(const CostVector& spent) const {
  if (spent.size() != entries()) return kInfinity;
  if (NothingIn(spent)) return 0;
  double least = kInfinity;
  for (size_t i = 0; i < offsets_.size(); ++i) {
    if (IsDead(spent[i])) continue;
    // Ville's inequality at this order: with probability 1 − its share of δ the privacy loss stays
    // below this at every moment at once, without the terms that a fixed moment would save.
    const double failure = LogFailureProbability(spec_.weights[i], spec_.budget.delta);
    const double charged = NatsUpperBound(static_cast<int64_t>(spent[i]), spec_.fixed_point_bits);
    least = std::min(least, charged - failure / (spec_.orders[i] - 1));
  }
  // The Gaussian witness speaks of the whole of its budget, or of none of it.
  if (gaussian_.has_value() && spent.back() <= gaussian_budget_) {
    least = std::min(least, gaussian_->EpsilonAtAllTimes(gaussian_budget_));
  }
  return least * (1 + 0x1p-46);
}

absl::StatusOr<double> BudgetFilter::SmallestNoiseMultiplier(const PlanTarget& target) const {
  TW_RETURN_IF_ERROR(
      ValidateFilterBudget({.epsilon = target.epsilon, .delta = spec_.budget.delta}));
  if (!(target.releases >= 1 && target.releases <= kMostReleases)) {
    return absl::InvalidArgumentError(
        absl::StrCat("releases must be in [1, ", kMostReleases, "]; got ", target.releases, "."));
  }
  const int64_t limit = FixedPointLowerBound(target.epsilon);
  return SmallestNoiseMultiplierThat([&](double noise_multiplier) -> absl::StatusOr<bool> {
    TW_ASSIGN_OR_RETURN(const SubsampledGaussian release,
                        SubsampledGaussian::Create({.sampling_rate = target.sampling_rate,
                                                    .noise_multipliers = {noise_multiplier}}));
    TW_ASSIGN_OR_RETURN(const CostVector cost, CostPerRelease(release));
    return AdmitUpTo(limit, NothingSpent(), cost, target.releases).has_value();
  });
}

double BudgetFilter::DeltaOfProfile(double epsilon) const {
  if (!(epsilon >= 0)) return 1;
  const double budget_epsilon = spec_.budget.epsilon;
  const int64_t limit = FixedPointLowerBound(budget_epsilon);
  double sum = 0;
  for (size_t i = 0; i < spec_.orders.size(); ++i) {
    if (offsets_[i] >= limit) continue;  // this order can never be a witness
    // An order's own curve beyond ε' falls like e^{−(a−1)ε'} and is w_a δ at ε. Which witness will
    // hold at the end is not known beforehand, so all of them are added, as in the proof.
    sum += std::exp(std::log(spec_.weights[i]) + std::log(spec_.budget.delta) +
                    (spec_.orders[i] - 1) * (budget_epsilon - epsilon));
  }
  if (gaussian_.has_value()) sum += GaussianWitness::DeltaUpperBound(epsilon, gaussian_budget_);
  // The worst (ε, δ) pair: with probability δ all is told, else randomised response with ε.
  if (epsilon < budget_epsilon) sum = std::min(sum, WorstDelta(spec_.budget, epsilon));
  return std::clamp(sum * (1 + 0x1p-40), kSmallestDelta, 1.0);
}

}  // namespace topicwall::accountant
