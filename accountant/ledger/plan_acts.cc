#include "accountant/ledger/plan_acts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/status_macros.h"
#include "proto/release_spec.h"

namespace topicwall::accountant::ledger {
namespace {

v1::PlanReserved TermsOf(const ReserveAct& act, const Verdict& verdict) {
  v1::PlanReserved terms;
  terms.set_plan_id(act.plan_id);
  *terms.mutable_spec() = proto::RecordOf(act.plan);
  terms.set_witness_order(verdict.witness_order);
  const CostVector& cost = verdict.set_aside.cost;
  terms.mutable_cost()->Assign(cost.begin(), cost.end());
  return terms;
}

// The analyst's entry even if the custodian cancels: others need not see whose plan it was.
void AddCancel(const LedgerState& ledger, const BudgetState& budget, const Plan& plan, bool expired,
               int64_t now_ms, Events* events) {
  v1::LedgerEvent event;
  event.set_time_ms(now_ms);
  event.set_principal(plan.principal);
  event.mutable_plan_cancelled()->set_plan_id(plan.terms.plan_id());
  event.mutable_plan_cancelled()->set_iterations_returned(plan.Returnable());
  event.mutable_plan_cancelled()->set_expired(expired);
  Add(ledger, budget.budget_id(), std::move(event), events);
}

// Of plans without a charge alone: one charged iteration shows that the plan is used, however
// slowly.
bool HasExpired(const Plan& plan, const ExpireAct& act) {
  if (plan.state != v1::PlanState::ACTIVE || !plan.charges.empty()) return false;
  const auto days = act.reservation_days.find(plan.terms.spec().corpus());
  const int64_t lasts_ms =
      kMsPerDay * (days == act.reservation_days.end() ? kDefaultReservationDays : days->second);
  return plan.reserved_at_ms <= act.now_ms - lasts_ms;
}

// Whatever its corpus, no younger plan has expired.
int64_t YoungestToExpireMs(const ExpireAct& act) {
  int days = kDefaultReservationDays;
  for (const auto& [corpus, lasts] : act.reservation_days) days = std::min(days, lasts);
  return act.now_ms - kMsPerDay * days;
}

}  // namespace

absl::Status NoPlanOfYours() {
  return absl::PermissionDeniedError("plan_id must name a plan of yours; no such plan.");
}

absl::StatusOr<const BudgetState*> BudgetFor(const LedgerState& ledger,
                                             const v1::ReleaseSpec& plan) {
  const BudgetState* budget = ledger.WithCorpus(plan.corpus_version());
  if (budget == nullptr) {
    return absl::FailedPreconditionError(
        "no budget is open for this version of the corpus: ask the custodian.");
  }
  // Events, caps and access are by name.
  if (budget->FindCorpus(plan.corpus_version())->name != plan.corpus()) {
    return absl::InvalidArgumentError("corpus_version must be a version of corpus.");
  }
  return budget;
}

// Cheap refusals first, the price last. A plan over budget is no error of this function: what would
// have fitted is worked out later, from a copy of the accounts, by someone who holds no lock.
absl::StatusOr<ReserveDecision> Decide(const LedgerState& ledger, const ReserveAct& act) {
  if (act.purse.principal.empty()) {
    return absl::InvalidArgumentError("principal must not be empty.");
  }
  TW_ASSIGN_OR_RETURN(const BudgetState* budget, BudgetFor(ledger, act.plan));
  TW_RETURN_IF_ERROR(RequireOpen(*budget, *budget->FindCorpus(act.plan.corpus_version())));
  TW_RETURN_IF_ERROR(RequireRoomForPlan(*budget, act.purse, act.now_ms));
  Accounts accounts = AccountsOf(*budget, act.purse.principal);
  TW_ASSIGN_OR_RETURN(
      const Verdict verdict,
      JudgeByCounting({.plan = act.plan, .purse = act.purse, .accounts = accounts}, act.weighed));
  if (verdict.refused_by != Limit::kNone) {
    return ReserveDecision{.refused_by = verdict.refused_by, .accounts = std::move(accounts)};
  }
  v1::LedgerEvent event;
  event.set_time_ms(act.now_ms);
  event.set_principal(act.purse.principal);
  *event.mutable_plan_reserved() = TermsOf(act, verdict);
  ReserveDecision decision;
  Add(ledger, budget->budget_id(), std::move(event), &decision.events);
  return decision;
}

absl::StatusOr<Events> Decide(const LedgerState& ledger, const CancelAct& act) {
  const BudgetState* budget = ledger.WithPlan(act.plan_id);
  const Plan* plan = budget == nullptr ? nullptr : budget->FindPlan(act.plan_id);
  if (act.principal.has_value() && (plan == nullptr || plan->principal != *act.principal)) {
    return NoPlanOfYours();
  }
  if (plan == nullptr) return absl::NotFoundError("no plan with this plan_id.");
  Events events;
  if (plan->state == v1::PlanState::CANCELLED) return events;
  // What the plan has left may have been charged in the ledger that was lost.
  TW_RETURN_IF_ERROR(RequireThawed(*budget));
  AddCancel(ledger, *budget, *plan, /*expired=*/false, act.now_ms, &events);
  return events;
}

absl::StatusOr<Events> Decide(const LedgerState& ledger, const ExpireAct& act) {
  Events events;
  const int64_t youngest_ms = YoungestToExpireMs(act);
  for (const BudgetState& budget : ledger.budgets()) {
    if (budget.frozen()) continue;
    std::map<int64_t, const Plan*> expired;  // in the order of reservation
    for (const auto& [id, plan] : budget.plans()) {
      // Asked first: of all plans that there ever were, at each call of somebody's.
      if (plan.reserved_at_ms <= youngest_ms && HasExpired(plan, act)) {
        expired[plan.sequence] = &plan;
      }
    }
    for (const auto& [sequence, plan] : expired) {
      AddCancel(ledger, budget, *plan, /*expired=*/true, act.now_ms, &events);
    }
  }
  return events;
}

absl::StatusOr<Events> Decide(const LedgerState& ledger, const PauseAct& act) {
  const BudgetState* budget = ledger.WithPlan(act.plan_id);
  if (budget == nullptr) return absl::NotFoundError("no plan with this plan_id.");
  const Plan& plan = *budget->FindPlan(act.plan_id);
  Events events;
  // In a frozen budget no plan is active: there is nothing to stop.
  if (plan.state != v1::PlanState::ACTIVE) return events;
  v1::LedgerEvent event;
  event.set_time_ms(act.at_ms);
  event.set_principal(plan.principal);
  event.mutable_plan_paused()->set_plan_id(act.plan_id);
  event.mutable_plan_paused()->set_iteration(act.iteration);
  Add(ledger, budget->budget_id(), std::move(event), &events);
  return events;
}

}  // namespace topicwall::accountant::ledger
