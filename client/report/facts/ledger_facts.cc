#include "client/report/facts/ledger_facts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/filters/attack_bounds.h"
#include "accountant/ledger/price_record.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "client/audit/budget_sum.h"
#include "client/audit/chain_replay.h"
#include "client/audit/restores.h"

namespace topicwall::client {
namespace {

// What the replay does not keep: where in the chain a plan was reserved, and what was spent then.
struct Reservation {
  int64_t sequence;
  int64_t time_ms;
  double spent_before;
  double spent_after;
};

struct Recount {
  ChainReplay chain;
  v1::BudgetOpened opening;
  std::map<std::string, Reservation> reservations;
  int64_t last_time_ms = 0;
  int64_t shortest_interval_ms = -1;  // none was told
  bool knows_timing = true;
};

// Of a charge, or of a release that is begun again.
template <typename Act>
void NoteTiming(const Act& act, Recount& recount) {
  // One that does not say it is enough: nothing is claimed of some releases only.
  if (!act.has_protection()) {
    recount.knows_timing = false;
    return;
  }
  const int64_t interval = act.protection().release_interval_ms();
  recount.shortest_interval_ms = recount.shortest_interval_ms < 0
                                     ? interval
                                     : std::min(recount.shortest_interval_ms, interval);
}

// Before and after each plan: the report draws what each took.
void NotePlan(const v1::LedgerEvent& event, Recount& recount) {
  const LedgerReplay& replay = recount.chain.replay();
  recount.reservations[event.plan_reserved().plan_id()] = {
      .sequence = event.sequence(),
      .time_ms = event.time_ms(),
      .spent_before = replay.policy().EpsilonSpent(recount.chain.spent_before()),
      .spent_after = replay.policy().EpsilonSpent(replay.spent())};
}

absl::Status Take(const v1::LedgerEntry& entry, Recount& recount) {
  TW_RETURN_IF_ERROR(recount.chain.Take(entry));
  const v1::LedgerEvent* event = recount.chain.event();
  if (event == nullptr) return absl::OkStatus();
  // The custodian's own acts are shown to every reader, the opening among them.
  if (recount.chain.chain().length() == 1) recount.opening = event->budget_opened();
  if (event->has_plan_reserved()) NotePlan(*event, recount);
  if (event->has_iteration_charged()) NoteTiming(event->iteration_charged(), recount);
  if (event->has_release_restarted()) NoteTiming(event->release_restarted(), recount);
  recount.last_time_ms = std::max(recount.last_time_ms, event->time_ms());
  return absl::OkStatus();
}

absl::Status CheckAddsUp(const LedgerReplay& replay) {
  // A page that is signed and filed must not be of numbers that contradict each other.
  if (replay.findings().empty()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("the ledger does not add up, and is not reported: ", replay.findings().front(),
                   " `topicwall ledger CORPUS --verify` shows all of it; ask the custodian."));
}

// What was agreed to, by what the model and the files beside it say, is what was paid.
absl::Status CheckPrices(const NotedPrice& of_model, const v1::Report& report,
                         const ChainReplay& replay) {
  std::vector<NotedPrice> noted = {of_model};
  for (const v1::ReportedEvaluation& evaluation : report.evaluations()) {
    noted.push_back({.what = "an evaluation beside the model",
                     .plan_ids = {evaluation.plan_id()},
                     .epsilon = evaluation.epsilon(),
                     .delta = evaluation.delta()});
  }
  for (const v1::ReportedPrevalence& prevalence : report.prevalences()) {
    noted.push_back({.what = "a prevalence beside the model",
                     .plan_ids = {prevalence.plan_id()},
                     .epsilon = prevalence.epsilon(),
                     .delta = prevalence.delta()});
  }
  for (const NotedPrice& price : noted) {
    const std::string difference = DifferenceOf(price, replay);
    if (difference.empty()) continue;
    return absl::DataLossError(absl::StrCat(
        "the ledger is not reported: ", difference,
        " `topicwall ledger CORPUS --verify MODEL` shows all of it; ask the custodian."));
  }
  return absl::OkStatus();
}

// Of all that promises something together: nothing more is derived where that is nothing.
absl::Status AddAttacks(const LedgerReplay& replay, v1::ReportedLedger& ledger) {
  const bool is_shared = IsShared(ledger.sum());
  const accountant::PrivacyParams params =
      is_shared ? accountant::PrivacyParams{.epsilon = ledger.sum().epsilon(),
                                            .delta = ledger.sum().delta()}
                : replay.policy().budget();
  if (!accountant::Validate(params).ok()) return absl::OkStatus();
  // Of the budget alone its whole profile is known; of the sum the one pair.
  TW_ASSIGN_OR_RETURN(
      const accountant::AttackBounds bounds,
      is_shared ? accountant::BoundAttacks(params) : accountant::BoundAttacks(replay.policy()));
  TW_ASSIGN_OR_RETURN(accountant::ledger::OtherUnits units,
                      accountant::ledger::OtherUnitsOf(params));
  *ledger.mutable_attack() = accountant::ledger::RecordOf(bounds);
  ledger.set_replace_one_epsilon(units.replace_one.epsilon);
  ledger.set_replace_one_delta(units.replace_one.delta);
  *ledger.mutable_groups() = std::move(units.groups);
  return absl::OkStatus();
}

void AddPlans(const Recount& recount, const std::vector<std::string>& of_report,
              v1::ReportedLedger& ledger) {
  for (const AuditedPlan& audited : recount.chain.replay().Plans()) {
    const v1::PlanReserved& terms = audited.terms;
    // There: the replay knows a plan by the same event that Take noted.
    const Reservation& reservation = recount.reservations.at(terms.plan_id());
    v1::ReportedPlan& plan = *ledger.add_plans();
    plan.set_plan_id(terms.plan_id());
    plan.set_principal(audited.principal);
    plan.set_model(terms.spec().model());
    plan.set_sequence(reservation.sequence);
    plan.set_time_ms(reservation.time_ms);
    plan.set_iterations(terms.spec().iterations());
    plan.set_charged(audited.charged);
    plan.set_voided(audited.voided);
    plan.set_returned(audited.returned);
    plan.set_noise_multiplier(terms.spec().gaussian().noise_multiplier());
    plan.set_histogram_noise_multiplier(terms.spec().gaussian().histogram_noise_multiplier());
    plan.set_sampling_rate(terms.spec().sampling_rate());
    plan.set_spent_before(reservation.spent_before);
    plan.set_spent_after(reservation.spent_after);
    plan.set_is_of_report(std::find(of_report.begin(), of_report.end(), terms.plan_id()) !=
                          of_report.end());
  }
}

// What cannot be recounted where there are entries of others.
void AddTold(const Takings& takings, v1::ReportedLedger& ledger) {
  std::map<std::string, const PlanTaking*> told;
  for (const PlanTaking& taking : takings.plans) told[taking.plan_id] = &taking;
  for (v1::ReportedPlan& plan : *ledger.mutable_plans()) {
    const auto found = told.find(plan.plan_id());
    if (found == told.end()) continue;
    plan.set_spent_before(found->second->spent_before);
    plan.set_spent_after(found->second->spent_after);
  }
  ledger.set_spent_by_all(takings.spent);
}

}  // namespace

absl::Status AddLedgerFacts(const LedgerToReport& to_report, v1::Report& report) {
  if (to_report.entries.empty()) {
    return absl::FailedPreconditionError("the ledger is empty: no budget is open yet.");
  }
  Recount recount;
  for (const v1::LedgerEntry& entry : to_report.entries) TW_RETURN_IF_ERROR(Take(entry, recount));
  const LedgerReplay& replay = recount.chain.replay();
  TW_RETURN_IF_ERROR(CheckAddsUp(replay));
  TW_RETURN_IF_ERROR(CheckPrices(to_report.price, report, recount.chain));

  v1::ReportedLedger& ledger = *report.mutable_ledger();
  ledger.set_budget_id(recount.chain.chain().budget_id());
  ledger.set_custodian_id(recount.opening.custodian_id());
  ledger.set_epsilon(replay.policy().budget().epsilon);
  ledger.set_delta(replay.policy().budget().delta);
  ledger.set_privacy_unit(recount.opening.privacy_unit());
  ledger.set_is_inventory(replay.policy().inventory() != nullptr);
  ledger.set_entries(recount.chain.chain().length());
  ledger.set_unseen_entries(recount.chain.unseen());
  ledger.set_head(base::Hex(recount.chain.chain().head()));
  ledger.set_time_ms(recount.last_time_ms);
  ledger.set_spent(replay.policy().EpsilonSpent(replay.spent()));
  ledger.set_forfeited(replay.forfeited());
  if (IsShared(replay.sum())) *ledger.mutable_sum() = replay.sum();
  TW_RETURN_IF_ERROR(AddAttacks(replay, ledger));
  AddPlans(recount, to_report.plans, ledger);
  if (ledger.unseen_entries() > 0 && to_report.takings != nullptr) {
    // After AddPlans: overwrites what was recounted from one's own entries alone.
    AddTold(*to_report.takings, ledger);
  }
  ledger.set_overruns(replay.timing().overruns);
  ledger.set_restarts(replay.timing().restarts);
  ledger.set_voided(replay.timing().voided);
  ledger.set_knows_timing(recount.knows_timing && recount.shortest_interval_ms >= 0);
  ledger.set_shortest_interval_ms(std::max<int64_t>(recount.shortest_interval_ms, 0));
  for (const Restore& restore : RestoresIn(to_report.entries)) {
    ledger.add_restores(DescribeRestore(restore));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::client
