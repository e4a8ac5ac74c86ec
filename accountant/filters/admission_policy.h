// AdmissionPolicy: how a budget decides, whichever of its two ways was chosen when it was opened.
//
//   adaptive   a weighted filter (budget_filter.h): any releases, priced one by one;
//   inventory  vouchers fixed beforehand (voucher_inventory.h): exact composition, no other kinds.
//
//   TW_ASSIGN_OR_RETURN(const AdmissionPolicy policy, AdmissionPolicy::Create(spec));
//   TW_ASSIGN_OR_RETURN(const auto admission, policy.Admit({release, J}, spent));
//   if (admission.has_value()) spent = admission->spent_after;      // reserved: Spending(plan, J)
//   TW_ASSIGN_OR_RETURN(spent, policy.Refund(spent, plan, j));      // cancelled after j charges
//
// For both, what is spent and what a plan costs are vectors of integers of one length: per
// witness, or per kind of voucher. What the first j releases of a plan consume is Spending(plan,
// j): j times the price, or the first j of its vouchers. So refunds are exact and nothing wraps; an
// entry at kDeadOrder is used up for ever. Whoever keeps `spent` (the ledger) stores it; a policy
// is immutable and safe to share between threads. ε in nats, at the budget's δ, upper bounds.
//
// What may be signed: the budget's (ε, δ), DeltaOfProfile, the odometer. The meter
// (EpsilonUpperBound of what is spent) shows how far along a budget is, and is no guarantee for
// releases chosen adaptively. A cap on one analyst's ε bounds consumption by the same meter over
// that analyst's plans; the guarantee is the budget's, for all analysts together. PUBLIC.
// Cost: adaptive: pricing about 0.2 ms. Inventory: Admit is integers alone; whatever says or
// compares an ε composes (voucher_inventory.h), up to some seconds each, MostReleasesWithin up to a
// dozen times: hold no lock meanwhile, and look between them who still waits (epsilon_meter.h).
#ifndef TOPICWALL_ACCOUNTANT_FILTERS_ADMISSION_POLICY_H_
#define TOPICWALL_ACCOUNTANT_FILTERS_ADMISSION_POLICY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/filters/attack_bounds.h"
#include "accountant/filters/budget_filter.h"
#include "accountant/filters/voucher_inventory.h"

namespace topicwall::accountant {

// What is recorded at opening, and immutable.
using PolicySpec = std::variant<FilterSpec, InventorySpec>;

// What a plan has set aside, as it is recorded when the plan is admitted.
struct PlanCost {
  CostVector cost;     // adaptive: of one release; inventory: the vouchers of the whole plan
  int64_t iterations;  // J ≥ 1
};

class EpsilonMeter;  // epsilon_meter.h

class AdmissionPolicy {
 public:
  struct Admission {
    PlanCost plan;
    CostVector spent_after;
    double witness_order;  // adaptive: as BudgetFilter::Admission's; else 0
  };

  // Copies share what they hold, and moving copies: a policy always has its rule.
  AdmissionPolicy(const AdmissionPolicy&) = default;
  AdmissionPolicy& operator=(const AdmissionPolicy&) = default;

  // INVALID_ARGUMENT as BudgetFilter::Create and VoucherInventory::Create.
  static absl::StatusOr<AdmissionPolicy> Create(const PolicySpec& spec);

  // To be asked once, when the budget is opened: INVALID_ARGUMENT if vouchers together exceed it.
  absl::Status RequireWithinBudget() const;

  PolicySpec spec() const;
  const PrivacyParams& budget() const;
  // The one that decides; the other is null.
  const BudgetFilter* filter() const { return filter_.get(); }
  const VoucherInventory* inventory() const { return inventory_.get(); }

  CostVector NothingSpent() const;
  CostVector EverythingSpent() const;  // for ever: nothing is admitted on top, nothing comes back

  // Admits the plan on top of `spent`, or nullopt if it does not fit; nothing is changed.
  // INVALID_ARGUMENT for a release without a finite price or a count outside [1, kMostReleases].
  absl::StatusOr<std::optional<Admission>> Admit(const DpEvent& plan,
                                                 const CostVector& spent) const;
  // What one analyst has spent with an admitted plan on top, or nullopt beyond the cap. A cap of
  // the budget's ε or more is none.
  std::optional<CostVector> AdmitWithin(double epsilon_cap, const CostVector& own_spent,
                                        const PlanCost& plan) const;
  // Whether AdmitWithin composes for this cap: if not, it counts in integers alone.
  bool ComposesWithin(double epsilon_cap) const;
  // The most releases of this kind that Admit, and AdmitWithin after it, accept; or the error of
  // the meter, through which it composes.
  absl::StatusOr<int64_t> MostReleasesWithin(double epsilon_cap, const CostVector& own_spent,
                                             const SubsampledGaussian& release,
                                             const CostVector& spent, EpsilonMeter& meter) const;

  // What the first `count` ≤ J releases of the plan consume.
  CostVector Spending(const PlanCost& plan, int64_t count) const;
  // `spent` and the whole plan, whether it fits or not. Never refuses, never wraps.
  CostVector SpentAfter(const CostVector& spent, const PlanCost& plan) const;
  // Gives back everything but what the first `used` releases consume. Exact; what is dead stays
  // dead. INVALID_ARGUMENT for `used` outside [0, J] or if more would come back than was spent.
  absl::StatusOr<CostVector> Refund(const CostVector& spent, const PlanCost& plan,
                                    int64_t used) const;
  // Whether a recorded cost can be the plan's: of the right length and, for an inventory, one
  // sufficient voucher for each release. (A filter's prices are compared by pricing again.)
  bool CanCost(const DpEvent& plan, const CostVector& cost) const;

  // The meter; 0 for nothing spent, infinity for what no budget could hold.
  double EpsilonUpperBound(const CostVector& spent) const;
  // The same of what is spent of a budget, as it is told: all of its ε where everything is, which
  // is a mark and no sum. Never of a plan that is asked for, which may be beyond any budget.
  double EpsilonSpent(const CostVector& spent) const;
  // The meter of the plan alone, as if nothing else had been spent. INVALID_ARGUMENT as Admit.
  absl::StatusOr<double> EpsilonAlone(const DpEvent& plan) const;
  // A guarantee at all times at once, also when the moment of looking was chosen from the
  // releases. Inventory: the budget's ε as soon as anything is drawn: the transcript up to any
  // such moment is a post-processing of all vouchers, and ε does not depend on the moment. As soon
  // as everything is spent, of a filter, too: the budget holds at whichever moment a transcript
  // ends.
  double OdometerUpperBound(const CostVector& spent) const;
  // Everything ever released is (epsilon, result)-private. 1 for a negative epsilon or NaN.
  double DeltaOfProfile(double epsilon) const;

  // The smallest σ at which a plan costs at most target.epsilon by EpsilonAlone: see the two rules.
  absl::StatusOr<double> SmallestNoiseMultiplier(const BudgetFilter::PlanTarget& target) const;

 private:
  explicit AdmissionPolicy(BudgetFilter filter)
      : filter_(std::make_shared<const BudgetFilter>(std::move(filter))) {}
  explicit AdmissionPolicy(VoucherInventory inventory)
      : inventory_(std::make_shared<const VoucherInventory>(std::move(inventory))) {}

  // Exactly one.
  std::shared_ptr<const BudgetFilter> filter_;
  std::shared_ptr<const VoucherInventory> inventory_;
};

// What an attacker can reach once the whole budget is spent, from its profile. Cost: a few ms, or
// some 30 compositions; a constant of the policy, so keep it.
absl::StatusOr<AttackBounds> BoundAttacks(const AdmissionPolicy& policy);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_FILTERS_ADMISSION_POLICY_H_
