// Both kinds of policy count in vectors of integers that grow by reservations and shrink by
// refunds: a filter's entries are prices at its witnesses, an inventory's are vouchers of each
// kind. The ledger keeps these vectors and asks here what they mean.
#include "accountant/filters/admission_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "accountant/accountants/bracketed_search.h"
#include "accountant/accountants/noise_calibration.h"
#include "accountant/filters/epsilon_meter.h"
#include "accountant/filters/sampled_profile.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

bool NothingIn(const CostVector& spent) {
  return std::all_of(spent.begin(), spent.end(), [](uint64_t entry) { return entry == 0; });
}

absl::Status ValidatePlanCount(int64_t count) {
  if (count >= 1) return ValidateCount(count);
  return absl::InvalidArgumentError(
      absl::StrCat("iterations must be at least 1; got ", count, "."));
}

// Of vouchers. What would pass 2^62 is gone for ever, as in a filter: a count that wrapped would
// put vouchers back.
CostVector Sum(const CostVector& drawn, const CostVector& cost) {
  CostVector sum = drawn;
  for (size_t kind = 0; kind < std::min(drawn.size(), cost.size()); ++kind) {
    const bool gone = drawn[kind] > kLargestSum || cost[kind] > kLargestSum - drawn[kind];
    sum[kind] = gone ? kDeadOrder : drawn[kind] + cost[kind];
  }
  return sum;
}

}  // namespace

absl::StatusOr<AdmissionPolicy> AdmissionPolicy::Create(const PolicySpec& spec) {
  if (const auto* filter_spec = std::get_if<FilterSpec>(&spec)) {
    TW_ASSIGN_OR_RETURN(BudgetFilter filter, BudgetFilter::Create(*filter_spec));
    return AdmissionPolicy(std::move(filter));
  }
  TW_ASSIGN_OR_RETURN(VoucherInventory inventory,
                      VoucherInventory::Create(std::get<InventorySpec>(spec)));
  return AdmissionPolicy(std::move(inventory));
}

absl::Status AdmissionPolicy::RequireWithinBudget() const {
  return inventory() != nullptr ? inventory()->RequireWithinBudget() : absl::OkStatus();
}

PolicySpec AdmissionPolicy::spec() const {
  if (filter() != nullptr) return filter()->spec();
  return inventory()->spec();
}

const PrivacyParams& AdmissionPolicy::budget() const {
  return filter() != nullptr ? filter()->spec().budget : inventory()->spec().budget;
}

CostVector AdmissionPolicy::NothingSpent() const {
  return filter() != nullptr ? filter()->NothingSpent() : inventory()->NothingDrawn();
}

CostVector AdmissionPolicy::EverythingSpent() const {
  return CostVector(NothingSpent().size(), kDeadOrder);
}

absl::StatusOr<std::optional<AdmissionPolicy::Admission>> AdmissionPolicy::Admit(
    const DpEvent& plan, const CostVector& spent) const {
  TW_RETURN_IF_ERROR(ValidatePlanCount(plan.count));
  std::optional<Admission> admitted;
  if (inventory() != nullptr) {
    // That all vouchers together keep the budget was checked when it was opened: what is left to
    // ask is whether there are enough of them.
    std::optional<CostVector> drawn = inventory()->Draw(plan, spent);
    if (!drawn.has_value()) return admitted;
    CostVector after = Sum(spent, *drawn);
    admitted = Admission{.plan = {.cost = *std::move(drawn), .iterations = plan.count},
                         .spent_after = std::move(after),
                         .witness_order = 0};
    return admitted;
  }
  // The cost is handed back and recorded with the plan: a later refund must use the same integers,
  // even if another version of this program would compute a price that differs in the last unit.
  TW_ASSIGN_OR_RETURN(CostVector cost, filter()->CostPerRelease(plan.release));
  std::optional<BudgetFilter::Admission> fits = filter()->Admit(spent, cost, plan.count);
  if (!fits.has_value()) return admitted;
  admitted = Admission{.plan = {.cost = std::move(cost), .iterations = plan.count},
                       .spent_after = std::move(fits->spent_after),
                       .witness_order = fits->witness_order};
  return admitted;
}

std::optional<CostVector> AdmissionPolicy::AdmitWithin(double epsilon_cap,
                                                       const CostVector& own_spent,
                                                       const PlanCost& plan) const {
  if (filter() != nullptr) {
    auto fits = filter()->Admit(own_spent, plan.cost, plan.iterations, epsilon_cap);
    if (!fits.has_value()) return std::nullopt;
    return std::move(fits->spent_after);
  }
  const size_t kinds = inventory()->spec().kinds.size();
  if (!(epsilon_cap > 0) || own_spent.size() != kinds || plan.cost.size() != kinds) {
    return std::nullopt;
  }
  // An analyst's own part is composed by itself: ε of a part says nothing of the rest.
  CostVector after = Sum(own_spent, plan.cost);
  if (epsilon_cap >= budget().epsilon) return after;  // a part of what the budget holds
  if (!(EpsilonUpperBound(after) <= epsilon_cap)) return std::nullopt;
  return after;
}

bool AdmissionPolicy::ComposesWithin(double epsilon_cap) const {
  return inventory() != nullptr && epsilon_cap > 0 && epsilon_cap < budget().epsilon;
}

absl::StatusOr<int64_t> AdmissionPolicy::MostReleasesWithin(double epsilon_cap,
                                                            const CostVector& own_spent,
                                                            const SubsampledGaussian& release,
                                                            const CostVector& spent,
                                                            EpsilonMeter& meter) const {
  if (filter() != nullptr) {
    TW_ASSIGN_OR_RETURN(const CostVector cost, filter()->CostPerRelease(release));
    return std::min(filter()->MostReleases(spent, cost),
                    filter()->MostReleases(own_spent, cost, epsilon_cap));
  }
  if (!(epsilon_cap > 0)) return 0;
  const int64_t left = inventory()->LeftFor(release, spent);
  if (epsilon_cap >= budget().epsilon) return left;
  // More of the same never costs less, so that the largest number can be searched for.
  return LargestCountWithin(left, [&](int64_t count) -> absl::StatusOr<double> {
    const DpEvent plan = {.release = release, .count = count};
    TW_ASSIGN_OR_RETURN(const double epsilon,
                        meter.Of(*this, Sum(own_spent, *inventory()->Draw(plan, spent))));
    return LogExcess(epsilon, epsilon_cap);
  });
}

CostVector AdmissionPolicy::Spending(const PlanCost& plan, int64_t count) const {
  if (inventory() != nullptr) return inventory()->FirstOf(plan.cost, count);
  return filter()->SpentAfter(filter()->NothingSpent(), plan.cost, count);
}

CostVector AdmissionPolicy::SpentAfter(const CostVector& spent, const PlanCost& plan) const {
  if (inventory() != nullptr) return Sum(spent, plan.cost);
  return filter()->SpentAfter(spent, plan.cost, plan.iterations);
}

absl::StatusOr<CostVector> AdmissionPolicy::Refund(const CostVector& spent, const PlanCost& plan,
                                                   int64_t used) const {
  if (!(used >= 0 && used <= plan.iterations)) {
    return absl::InvalidArgumentError(
        absl::StrCat("used must be in [0, ", plan.iterations, "]; got ", used, "."));
  }
  if (filter() != nullptr) return filter()->Refund(spent, plan.cost, plan.iterations - used);
  const size_t kinds = inventory()->spec().kinds.size();
  if (spent.size() != kinds || plan.cost.size() != kinds) {
    return absl::InvalidArgumentError(
        absl::StrCat("spent and cost must have one entry per kind of voucher, ", kinds, "; got ",
                     spent.size(), " and ", plan.cost.size(), "."));
  }
  // Charged iterations used up the plan's vouchers in the order of kinds; the others go back.
  const CostVector kept = inventory()->FirstOf(plan.cost, used);
  CostVector left = spent;
  for (size_t kind = 0; kind < kinds; ++kind) {
    if (left[kind] > kLargestSum) continue;  // gone for ever
    const uint64_t returned = plan.cost[kind] - kept[kind];
    if (returned > left[kind]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "used must leave no more to return than was spent; got ", used, " at kind ", kind, "."));
    }
    left[kind] -= returned;
  }
  return left;
}

// For records read back. Vouchers are counted. A filter's price is not computed here, a millisecond
// a plan of every chain that is folded: whoever must know it, prices again.
bool AdmissionPolicy::CanCost(const DpEvent& plan, const CostVector& cost) const {
  if (inventory() != nullptr) return inventory()->PaysFor(plan, cost);
  return cost.size() == filter()->NothingSpent().size();
}

double AdmissionPolicy::EpsilonUpperBound(const CostVector& spent) const {
  return filter() != nullptr ? filter()->EpsilonUpperBound(spent)
                             : inventory()->EpsilonUpperBound(spent);
}

double AdmissionPolicy::EpsilonSpent(const CostVector& spent) const {
  return spent == EverythingSpent() ? budget().epsilon : EpsilonUpperBound(spent);
}

absl::StatusOr<double> AdmissionPolicy::EpsilonAlone(const DpEvent& plan) const {
  TW_RETURN_IF_ERROR(ValidatePlanCount(plan.count));
  if (inventory() != nullptr) {
    const std::optional<CostVector> cost = inventory()->Draw(plan, NothingSpent());
    return cost.has_value() ? inventory()->EpsilonUpperBound(*cost)
                            : std::numeric_limits<double>::infinity();
  }
  TW_ASSIGN_OR_RETURN(const CostVector cost, filter()->CostPerRelease(plan.release));
  return filter()->EpsilonUpperBound(filter()->SpentAfter(NothingSpent(), cost, plan.count));
}

double AdmissionPolicy::OdometerUpperBound(const CostVector& spent) const {
  if (spent == EverythingSpent()) return budget().epsilon;
  if (filter() != nullptr) return filter()->OdometerUpperBound(spent);
  // Vouchers are paid for at the opening: whatever is drawn when, the whole of them holds.
  return NothingIn(spent) ? 0 : budget().epsilon;
}

double AdmissionPolicy::DeltaOfProfile(double epsilon) const {
  return filter() != nullptr ? filter()->DeltaOfProfile(epsilon)
                             : inventory()->DeltaUpperBound(epsilon);
}

absl::StatusOr<double> AdmissionPolicy::SmallestNoiseMultiplier(
    const BudgetFilter::PlanTarget& target) const {
  return filter() != nullptr ? filter()->SmallestNoiseMultiplier(target)
                             : inventory()->SmallestNoiseMultiplier(target);
}

absl::StatusOr<AttackBounds> BoundAttacks(const AdmissionPolicy& policy) {
  const double largest_epsilon = 2 * policy.budget().epsilon;
  const auto profile = [&](double epsilon) { return policy.DeltaOfProfile(epsilon); };
  if (policy.filter() != nullptr) return BoundAttacks(profile, largest_epsilon);
  // A point of an inventory's profile is a composition of loss distributions; a filter's is a sum.
  TW_ASSIGN_OR_RETURN(const SampledProfile sampled,
                      SampledProfile::Of(profile, 2 * largest_epsilon));
  return BoundAttacks([&](double epsilon) { return sampled.DeltaUpperBound(epsilon); },
                      largest_epsilon);
}

}  // namespace topicwall::accountant
