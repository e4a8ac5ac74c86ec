// The wall's policy is made anew from its public record by the same library that the wall decides
// with, and the library refuses a record that no budget can have. From there on every price is this
// side's own; PricePlan is asked only to confirm one, and the receipt that it was charged.
#include "client/audit/enforced_price.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "accountant/filters/attack_bounds.h"
#include "accountant/ledger/price_record.h"
#include "base/status_macros.h"
#include "client/audit/ledger_replay.h"
#include "proto/told_numbers.h"

namespace topicwall::client {

using accountant::AdmissionPolicy;
using accountant::CostVector;
using accountant::DpEvent;

namespace {

// What follows from the promise of a budget, and of all that may concern the same people.
absl::Status TellPromises(const PricedBudget& budget, v1::PlanPrice& price) {
  const accountant::PrivacyParams& promise = budget.policy.budget();
  TW_ASSIGN_OR_RETURN(const accountant::AttackBounds bounds,
                      accountant::BoundAttacks(budget.policy));
  price.set_epsilon_total(promise.epsilon);
  price.set_delta(promise.delta);
  TW_RETURN_IF_ERROR(accountant::ledger::TellPromise(promise, bounds, &price));
  return accountant::ledger::TellSum(budget.sum, &price);
}

absl::Status CheckConfirmed(const AdmissionPolicy& policy, const v1::ReleaseSpec& plan,
                            const v1::PlanPrice& price) {
  TW_ASSIGN_OR_RETURN(const double own, PriceAlone(policy, plan));
  if (IsSameEpsilon(policy, own, price.epsilon_alone())) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "the wall prices the plan alone at epsilon ", price.epsilon_alone(),
      "; by the policy that its ledger opened the budget with it is ", own,
      ". Nothing was reserved. Keep this output and ask the custodian, by another way than this "
      "wall."));
}

absl::StatusOr<AdmissionPolicy> QuotedPolicyOf(const v1::FitPlan& plan) {
  v1::BudgetOpened quoted;
  if (plan.has_filter()) *quoted.mutable_filter() = plan.filter();
  if (plan.has_inventory()) *quoted.mutable_inventory() = plan.inventory();
  return PolicyOf(quoted);
}

// In words what a plan's receipt and its quote say of the plan itself; "" if it is the same.
absl::StatusOr<std::string> OtherCost(const AdmissionPolicy& policy, const v1::ReleaseSpec& plan,
                                      const v1::PlanReserved& reserved) {
  const CostVector cost(reserved.cost().begin(), reserved.cost().end());
  TW_ASSIGN_OR_RETURN(const DpEvent event, EventOf(plan));
  // Which vouchers are drawn depends on what others drew meanwhile; that they pay for it does not.
  if (policy.inventory() != nullptr) {
    return policy.CanCost(event, cost) ? "" : "it drew other vouchers than pay for the plan";
  }
  TW_ASSIGN_OR_RETURN(const CostVector own, policy.filter()->CostPerRelease(event.release));
  if (std::equal(own.begin(), own.end(), cost.begin(), cost.end(), IsSamePrice)) return "";
  if (own.size() != cost.size()) {
    return absl::StrCat("it is charged by ", cost.size(), " costs, and the quote by ", own.size());
  }
  const auto alone = [&](const CostVector& of_one) {
    return proto::EpsilonText(policy.EpsilonUpperBound(
        policy.SpentAfter(policy.NothingSpent(), {.cost = of_one, .iterations = event.count})));
  };
  return absl::StrCat("it is charged epsilon ", alone(cost), " alone, and was quoted at ",
                      alone(own));
}

}  // namespace

bool IsSameEpsilon(const AdmissionPolicy& policy, double a, double b) {
  const double tolerance = policy.inventory() != nullptr ? kComposedTolerance : kPriceTolerance;
  return a == b || std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

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

absl::StatusOr<double> ChooseNoiseMultiplier(const AdmissionPolicy& policy, double epsilon,
                                             const NoiseTarget& target) {
  TW_ASSIGN_OR_RETURN(const double smallest,
                      policy.SmallestNoiseMultiplier({.epsilon = epsilon,
                                                      .sampling_rate = target.sampling_rate,
                                                      .releases = target.releases}));
  return RoundUpToSixDigits(std::max(smallest, target.min_noise_multiplier));
}

// A hundred thousandth is far more than two quadratures differ by (kPriceTolerance,
// ledger_replay.h). If four are not enough it is no rounding: the wall prices by something else
// than the policy that it shows.
absl::StatusOr<v1::PlanPrice> PriceAtMost(
    WallPort& wall, const PricedBudget& budget, double noise_multiplier,
    const std::optional<double>& most,
    absl::FunctionRef<absl::StatusOr<v1::ReleaseSpec>(double noise_multiplier)> plan_of) {
  constexpr int kTries = 4;
  double epsilon = 0;
  for (int i = 0; i < kTries; ++i) {
    TW_ASSIGN_OR_RETURN(const v1::ReleaseSpec plan, plan_of(noise_multiplier));
    TW_ASSIGN_OR_RETURN(v1::PlanPrice price, wall.PricePlan(plan));
    epsilon = price.epsilon_alone();
    if (!most.has_value() || epsilon <= *most) {
      TW_RETURN_IF_ERROR(CheckConfirmed(budget.policy, plan, price));
      TW_RETURN_IF_ERROR(TellPromises(budget, price));
      return price;
    }
    noise_multiplier = RoundUpToSixDigits(noise_multiplier * (1 + 1e-5));
  }
  return absl::InternalError(absl::StrCat(
      "the wall prices the plan at epsilon ", epsilon, ", above the ", *most,
      " asked for, with noise that costs less by its own policy. Use --noise-multiplier, and tell "
      "the custodian."));
}

void NoteQuoted(const v1::BudgetStatus& budget, v1::FitPlan& plan) {
  if (budget.has_filter()) *plan.mutable_filter() = budget.filter();
  if (budget.has_inventory()) *plan.mutable_inventory() = budget.inventory();
}

absl::Status CheckReserved(const v1::FitPlan& plan, const v1::PlanState& state) {
  if (plan.policy_case() == v1::FitPlan::POLICY_NOT_SET) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const AdmissionPolicy policy, QuotedPolicyOf(plan));
  const accountant::PrivacyParams& quoted = policy.budget();
  v1::Receipt receipt;
  const bool is_there = !state.reservation_receipt().receipt().empty() &&
                        receipt.ParseFromString(state.reservation_receipt().receipt());
  std::string other;
  if (!is_there) {
    other = "no receipt says what it costs";
  } else if (receipt.epsilon() != quoted.epsilon || receipt.delta() != quoted.delta) {
    other = absl::StrCat("it is of a budget of epsilon ", receipt.epsilon(), " at delta ",
                         receipt.delta(), ", and the quote was of one of ", quoted.epsilon, " at ",
                         quoted.delta);
  } else {
    TW_ASSIGN_OR_RETURN(other, OtherCost(policy, plan.plan(), receipt.plan()));
  }
  if (other.empty()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "plan ", state.plan_id(),
      " was reserved at another price than was agreed to: by its receipt ", other,
      ". Nothing of it is charged yet: `topicwall cancel ", state.plan_id(),
      "` gives it back. Keep the receipts and ask the custodian, by another way than this wall; "
      "then begin anew, in another folder."));
}

// Up, for less noise would cost more than was asked. Six digits, so that the number that is shown
// is the number that is used, and typing it gives the same plan. The division may come out below x
// again.
double RoundUpToSixDigits(double x) {
  const double scale = std::pow(10.0, 5 - std::floor(std::log10(x)));
  return std::max(std::ceil(x * scale) / scale, x);
}

}  // namespace topicwall::client
