#include "server/ledger/lost_history.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/ledger_chain.h"
#include "proto/signed_head.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_replay.h"
#include "server/ledger/policy_record.h"

namespace topicwall::ledger {
namespace {

constexpr int64_t kEntriesPerRead = 512;

absl::Status NotTheContinuation(int64_t end) {
  return absl::FailedPreconditionError(
      absl::StrCat("the export must continue the chain behind entry ", end,
                   ", where the backup ends; it differs there or ends before."));
}

// Verifies the whole chain and returns the events behind where the backup ends.
absl::StatusOr<std::vector<v1::LedgerEvent>> EventsBeyond(SqliteConnection& connection,
                                                          const BudgetRow& budget,
                                                          const v1::LedgerExport& lost) {
  const int64_t end = budget.restored_at - 1;
  TW_ASSIGN_OR_RETURN(const std::string backup_head, HeadAt(connection, budget, end));
  TW_ASSIGN_OR_RETURN(const std::string restored_head, HeadAt(connection, budget, end + 1));
  proto::ChainVerifier chain;
  std::vector<v1::LedgerEvent> beyond;
  for (const v1::LedgerEntry& entry : lost.entries()) {
    if (const absl::Status verified = chain.Add(entry); !verified.ok()) {
      return absl::InvalidArgumentError(verified.message());
    }
    if (chain.length() == end && chain.head() != backup_head) return NotTheContinuation(end);
    if (chain.length() <= end) continue;
    if (chain.length() == end + 1 && chain.head() == restored_head) {
      return absl::FailedPreconditionError(
          "the export is of this restored ledger; one from before the loss is needed.");
    }
    if (entry.event().empty()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "entry ", entry.sequence(), " of the export is hidden: an auditor's export is needed."));
    }
    beyond.push_back(chain.event());
  }
  if (chain.length() < end) return NotTheContinuation(end);
  return beyond;
}

// The budget's own key, not one that the export carries.
absl::Status RequireSignedEnd(const BudgetRow& budget, const v1::LedgerExport& lost) {
  if (!lost.has_signed_head()) {
    return absl::FailedPreconditionError(
        "the export has no signed head, so nobody vouches for it: it was written by an earlier "
        "version of topicwall, or edited. Find one that a newer version wrote, or forfeit.");
  }
  const absl::StatusOr<v1::HeadStatement> head =
      proto::OpenSignedHead(lost.signed_head(), budget.signing_key);
  if (!head.ok()) return absl::InvalidArgumentError(head.status().message());
  const v1::LedgerEntry& last = lost.entries(lost.entries_size() - 1);
  if (head->budget_id() == budget.budget_id && head->sequence() == last.sequence() &&
      head->head() == last.head()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "the export's signed head is not that of its last entry: it was cut, or edited.");
}

absl::Status ReplayBackup(SqliteConnection& connection, const BudgetRow& budget,
                          BudgetReplay& replay) {
  const int64_t end = budget.restored_at - 1;
  for (int64_t next = 1; next <= end;) {
    TW_ASSIGN_OR_RETURN(
        const std::vector<v1::LedgerEntry> entries,
        ReadEntries(connection, budget.budget_id, next, std::min(kEntriesPerRead, end - next + 1)));
    if (entries.empty()) return absl::DataLossError("the ledger has lost events.");
    for (const v1::LedgerEntry& entry : entries) {
      v1::LedgerEvent event;
      if (!event.ParseFromString(entry.event())) {
        return absl::DataLossError("the ledger has lost events.");
      }
      TW_RETURN_IF_ERROR(replay.Apply(event));
    }
    next += static_cast<int64_t>(entries.size());
  }
  return absl::OkStatus();
}

// A filter's price does not depend on what was spent; which vouchers are drawn does. Plans that the
// lost ledger had itself taken over while frozen were drawn by an older one.
absl::StatusOr<bool> HasItsPrice(const accountant::AdmissionPolicy& policy,
                                 const v1::PlanReserved& act, const BudgetPicture& before) {
  const absl::StatusOr<accountant::DpEvent> plan = EventOf(act);
  if (!plan.ok() || act.iterations() < 1) return ImpossibleEvent();
  const accountant::CostVector cost{act.cost().begin(), act.cost().end()};
  const bool filter = policy.filter() != nullptr;
  if (!filter && before.restored_at != 0) return policy.CanCost(*plan, cost);
  TW_ASSIGN_OR_RETURN(const auto admission,
                      policy.Admit(*plan, filter ? policy.NothingSpent() : before.spent));
  return admission.has_value() && admission->plan.cost == cost;
}

absl::Status RequireItsPrice(const accountant::AdmissionPolicy& policy,
                             const v1::LedgerEvent& event, const BudgetPicture& before) {
  TW_ASSIGN_OR_RETURN(const bool priced, HasItsPrice(policy, event.plan_reserved(), before));
  if (priced) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "entry ", event.sequence(), " of the export records another cost of plan ",
      event.plan_reserved().plan_id(),
      " than the budget's policy asks: it is not believed. Forfeit, or thaw with the version of "
      "the program that wrote it."));
}

}  // namespace

absl::StatusOr<LostHistory> ReadLostHistory(SqliteConnection& connection, const BudgetRow& budget,
                                            const v1::LedgerExport& lost) {
  TW_ASSIGN_OR_RETURN(std::vector<v1::LedgerEvent> beyond, EventsBeyond(connection, budget, lost));
  TW_RETURN_IF_ERROR(RequireSignedEnd(budget, lost));
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, budget.Policy());
  BudgetReplay replay;
  TW_RETURN_IF_ERROR(ReplayBackup(connection, budget, replay));
  for (const v1::LedgerEvent& event : beyond) {
    if (event.has_plan_reserved()) {
      TW_RETURN_IF_ERROR(RequireItsPrice(policy, event, replay.picture()));
    }
    if (!replay.Apply(event).ok()) return ImpossibleEvent();
  }
  return LostHistory{.beyond = std::move(beyond), .picture = replay.picture()};
}

absl::StatusOr<std::string> HeadAt(SqliteConnection& connection, const BudgetRow& budget,
                                   int64_t sequence) {
  if (sequence == 0) return proto::GenesisHead();
  TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries,
                      ReadEntries(connection, budget.budget_id, sequence, 1));
  if (entries.empty()) return absl::DataLossError("the ledger has lost events.");
  return entries.front().head();
}

absl::Status ImpossibleEvent() {
  return absl::InvalidArgumentError(
      "the export holds an event that cannot have followed the ones before it.");
}

}  // namespace topicwall::ledger
