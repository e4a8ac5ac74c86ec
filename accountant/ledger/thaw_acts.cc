#include "accountant/ledger/thaw_acts.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/budget_sums.h"
#include "accountant/ledger/policy_record.h"
#include "base/status_macros.h"
#include "proto/ledger_chain.h"
#include "proto/signed_head.h"

namespace topicwall::accountant::ledger {
namespace {

// The one refusal for what cannot have happened.
absl::Status ImpossibleEvent() {
  return absl::InvalidArgumentError(
      "the export holds an event that cannot have followed the ones before it.");
}

absl::Status EventsLost() { return absl::DataLossError("the ledger has lost events."); }

// `told`: of budgets, by something outside; those that the ledger does not have count as lost.
void AddThaw(const LedgerState& ledger, const BudgetState& budget, v1::BudgetThawed thaw,
             const std::vector<v1::BudgetSum>& told, int64_t now_ms, Events* events) {
  v1::LedgerEvent event;
  event.set_time_ms(now_ms);
  *event.mutable_budget_thawed() = std::move(thaw);
  Add(ledger, budget.budget_id(), std::move(event), events);
  std::vector<Opening> openings = OpeningsOf(ledger);
  for (const v1::BudgetSum& sum : told) AddLost(sum, &openings);
  TellSums(ledger, openings, budget.budget_id(), now_ms, events);
}

// Settles whether everybody has shown what they hold; spends all that is left if not.
absl::Status AddThawOf(const LedgerState& ledger, const BudgetState& budget,
                       const ClaimedChain& chain, const ThawEvidence& evidence,
                       v1::BudgetThawed::Ground ground, int64_t now_ms, Events* events) {
  TW_ASSIGN_OR_RETURN(const Shown shown, ShownBy(evidence, budget, chain));
  v1::BudgetThawed thaw;
  thaw.set_ground(ground);
  thaw.set_forfeited_unseen(!shown.by_all);
  thaw.set_head_sequence(chain.length());
  thaw.set_head(chain.heads.back());
  AddThaw(ledger, budget, std::move(thaw), {chain.state.sum(), shown.others}, now_ms, events);
  return absl::OkStatus();
}

absl::Status RequireFrozen(const BudgetState& budget) {
  if (budget.frozen()) return absl::OkStatus();
  return absl::FailedPreconditionError("the budget is not frozen: there is nothing to thaw.");
}

absl::Status NotTheContinuation(int64_t end) {
  return absl::FailedPreconditionError(
      absl::StrCat("the export must continue the chain behind entry ", end,
                   ", where the backup ends; it differs there or ends before."));
}

// Verifies the whole chain, and that it goes on, visibly, from where the backup ends.
// Entries up to the backup's end may be hidden: their hashes are compared, their text is in the
// backup.
absl::Status RequireContinuation(const Freeze& freeze, const v1::LedgerExport& lost) {
  const int64_t end = freeze.sequence - 1;
  proto::ChainVerifier chain;
  for (const v1::LedgerEntry& entry : lost.entries()) {
    if (const absl::Status verified = chain.Add(entry); !verified.ok()) {
      return absl::InvalidArgumentError(verified.message());
    }
    if (chain.length() == end && chain.head() != freeze.backup_head) return NotTheContinuation(end);
    if (chain.length() <= end) continue;
    if (chain.length() == end + 1 && chain.head() == freeze.head) {
      return absl::FailedPreconditionError(
          "the export is of this restored ledger; one from before the loss is needed.");
    }
    if (entry.event().empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "entry ", entry.sequence(), " of the export is hidden: an auditor's export is needed."));
    }
  }
  return chain.length() < end ? NotTheContinuation(end) : absl::OkStatus();
}

// The budget's own key, not one that the export carries.
absl::Status RequireSignedEnd(const BudgetState& budget, const v1::LedgerExport& lost) {
  if (!lost.has_signed_head()) {
    return absl::FailedPreconditionError(
        "the export has no signed head, so nobody vouches for it: it was written by an earlier "
        "version of topicwall, or edited. Find one that a newer version wrote, or forfeit.");
  }
  const absl::StatusOr<v1::HeadStatement> head =
      proto::OpenSignedHead(lost.signed_head(), budget.signing_key());
  if (!head.ok()) return absl::InvalidArgumentError(head.status().message());
  const v1::LedgerEntry& last = lost.entries(lost.entries_size() - 1);
  if (head->budget_id() == budget.budget_id() && head->sequence() == last.sequence() &&
      head->head() == last.head()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "the export's signed head is not that of its last entry: it was cut, or edited.");
}

// A filter's price does not depend on what was spent; which vouchers are drawn does. Plans that the
// lost ledger had itself taken over while frozen were drawn by an older one.
absl::StatusOr<bool> HasItsPrice(const v1::PlanReserved& act, const BudgetState& before) {
  const AdmissionPolicy& policy = before.policy();
  const absl::StatusOr<DpEvent> plan = EventOf(act.spec());
  if (!plan.ok() || act.spec().iterations() < 1) return ImpossibleEvent();
  const CostVector cost{act.cost().begin(), act.cost().end()};
  const bool filter = policy.filter() != nullptr;
  if (!filter && before.frozen()) return policy.CanCost(*plan, cost);
  TW_ASSIGN_OR_RETURN(const auto admission,
                      policy.Admit(*plan, filter ? policy.NothingSpent() : before.spent()));
  return admission.has_value() && admission->plan.cost == cost;
}

// Does over again what the export shows beyond `state`, the backup, and leaves it at its end.
absl::StatusOr<std::vector<v1::LedgerEvent>> FoldBeyond(const v1::LedgerExport& lost,
                                                        BudgetState* state) {
  std::vector<v1::LedgerEvent> beyond;
  for (int64_t next = state->length(); next < lost.entries_size(); ++next) {
    const v1::LedgerEntry& entry = lost.entries(static_cast<int>(next));
    v1::LedgerEvent& event = beyond.emplace_back();
    if (!event.ParseFromString(entry.event())) return ImpossibleEvent();
    if (event.has_plan_reserved()) {
      TW_ASSIGN_OR_RETURN(const bool priced, HasItsPrice(event.plan_reserved(), *state));
      if (!priced) {
        return absl::FailedPreconditionError(absl::StrCat(
            "entry ", event.sequence(), " of the export records another cost of plan ",
            event.plan_reserved().plan_id(),
            " than the budget's policy asks: it is not believed. Forfeit, or thaw with the version "
            "of the program that wrote it."));
      }
    }
    if (!state->Apply(entry).ok()) return ImpossibleEvent();
  }
  return beyond;
}

absl::StatusOr<bool> IsTakenOver(const v1::LedgerEvent& event) {
  switch (event.act_case()) {
    // A kind of event that is new must be thought of here: the default leaves it behind.
    case v1::LedgerEvent::kCorpusJoined:
    case v1::LedgerEvent::kPlanReserved:
    case v1::LedgerEvent::kIterationCharged:
    case v1::LedgerEvent::kReleasePublished:
    case v1::LedgerEvent::kReleaseVoided:
    case v1::LedgerEvent::kReleaseRestarted:
    case v1::LedgerEvent::kOverrunsAcknowledged:
      return true;
    case v1::LedgerEvent::kBudgetThawed:
      if (event.budget_thawed().ground() != v1::BudgetThawed::FORFEITED &&
          !event.budget_thawed().forfeited_unseen()) {
        return false;
      }
      return absl::FailedPreconditionError(
          "the lost ledger had forfeited its budget: forfeit this one too.");
    default:
      return false;
  }
}

// Whatever came in from outside, the ledger must take it: tried on a copy.
absl::Status TakeOver(const LedgerState& ledger, const BudgetState& budget,
                      const std::vector<v1::LedgerEvent>& beyond, Events* events) {
  LedgerState trial = ledger;
  std::string head = budget.head();
  for (const v1::LedgerEvent& event : beyond) {
    TW_ASSIGN_OR_RETURN(const bool taken, IsTakenOver(event));
    if (!taken) continue;
    Add(ledger, budget.budget_id(), event, events);
    // The salt is drawn when the event is appended, and no rule of the fold looks at it: zeros for
    // the trial.
    const v1::LedgerEntry entry =
        EntryOf(events->back(), std::string(proto::kEventSaltSize, '\0'), head);
    if (!trial.Apply(budget.budget_id(), entry).ok()) return ImpossibleEvent();
    head = entry.head();
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Events> Decide(const LedgerState& ledger, const ThawByHeadAct& act) {
  absl::string_view why = "no budget is frozen: there is nothing to thaw.";
  for (const BudgetState& budget : ledger.budgets()) {
    if (!budget.frozen()) continue;
    why =
        "no frozen budget ends at this head: something was released after the backup, or the head "
        "is another ledger's. Thaw with an auditor's events, or forfeit.";
    if (budget.freeze()->backup_head != act.head) continue;
    TW_ASSIGN_OR_RETURN(std::vector<std::string> heads,
                        act.heads_to(budget.budget_id(), budget.freeze()->sequence - 1));
    // Each follows from the one before, so that with the last one all are those of the backup.
    if (heads.empty() || heads.back() != act.head) return EventsLost();
    const ClaimedChain chain{.heads = std::move(heads), .state = budget};
    Events events;
    TW_RETURN_IF_ERROR(AddThawOf(ledger, budget, chain, act.evidence,
                                 v1::BudgetThawed::HEAD_CONFIRMED, act.now_ms, &events));
    return events;
  }
  return absl::FailedPreconditionError(why);
}

// Two folds. One goes on from the backup as the lost ledger did, and shows that its events could
// happen and were priced by this budget's policy. The other is the restored ledger, frozen, which
// takes over what was spent under new numbers (TakeOver). Neither believes what the export says of
// itself.
absl::StatusOr<Events> Decide(const LedgerState& ledger, const ThawByEventsAct& act) {
  v1::LedgerEvent first;
  if (act.lost.entries_size() == 0 || !first.ParseFromString(act.lost.entries(0).event())) {
    return absl::InvalidArgumentError("the export must begin with its first event.");
  }
  TW_ASSIGN_OR_RETURN(const BudgetState* budget, ledger.Find(first.budget_id()));
  TW_RETURN_IF_ERROR(RequireFrozen(*budget));
  TW_RETURN_IF_ERROR(RequireContinuation(*budget->freeze(), act.lost));
  TW_RETURN_IF_ERROR(RequireSignedEnd(*budget, act.lost));
  TW_ASSIGN_OR_RETURN(BudgetState state,
                      act.state_at(budget->budget_id(), budget->freeze()->sequence - 1));
  if (state.head() != budget->freeze()->backup_head) return EventsLost();
  TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEvent> beyond, FoldBeyond(act.lost, &state));
  Events events;
  TW_RETURN_IF_ERROR(TakeOver(ledger, *budget, beyond, &events));
  std::vector<std::string> heads;
  for (const v1::LedgerEntry& entry : act.lost.entries()) heads.push_back(entry.head());
  const ClaimedChain chain{.heads = std::move(heads), .state = state};
  TW_RETURN_IF_ERROR(AddThawOf(ledger, *budget, chain, act.evidence,
                               v1::BudgetThawed::EVENTS_APPENDED, act.now_ms, &events));
  return events;
}

absl::StatusOr<Events> Decide(const LedgerState& ledger, const ForfeitAct& act) {
  TW_ASSIGN_OR_RETURN(const BudgetState* budget, ledger.Find(act.budget_id));
  TW_RETURN_IF_ERROR(RequireFrozen(*budget));
  v1::BudgetThawed thaw;
  thaw.set_ground(v1::BudgetThawed::FORFEITED);
  thaw.set_head_sequence(budget->freeze()->sequence - 1);
  thaw.set_head(budget->freeze()->backup_head);
  Events events;
  AddThaw(ledger, *budget, std::move(thaw), /*told=*/{}, act.now_ms, &events);
  return events;
}

}  // namespace topicwall::accountant::ledger
