#include "server/ledger/ledger_upgrade.h"

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_replay.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/ledger_schema.h"
#include "server/ledger/plan_table.h"
#include "server/ledger/receipt_table.h"
#include "server/ledger/sqlite_transaction.h"

namespace topicwall::ledger {
namespace {

constexpr int64_t kEntriesPerRead = 512;

absl::Status ForEachEvent(SqliteConnection& connection, const BudgetRow& budget,
                          absl::FunctionRef<absl::Status(const v1::LedgerEvent&)> visit) {
  for (int64_t next = 1; next <= budget.events;) {
    TW_ASSIGN_OR_RETURN(const std::vector<v1::LedgerEntry> entries,
                        ReadEntries(connection, budget.budget_id, next, kEntriesPerRead));
    if (entries.empty()) return absl::DataLossError("the ledger has lost events.");
    for (const v1::LedgerEntry& entry : entries) {
      v1::LedgerEvent event;
      if (!event.ParseFromString(entry.event())) {
        return absl::DataLossError(
            absl::StrCat("ledger event ", entry.sequence(), " cannot be read."));
      }
      TW_RETURN_IF_ERROR(visit(event));
    }
    next += static_cast<int64_t>(entries.size());
  }
  return absl::OkStatus();
}

absl::Status FillReceipts(SqliteConnection& connection, const BudgetRow& budget) {
  BudgetReplay replay;
  return ForEachEvent(connection, budget, [&](const v1::LedgerEvent& event) {
    TW_RETURN_IF_ERROR(replay.Apply(event));
    return InsertReceipt(connection, event, replay.picture().spent);
  });
}

absl::Status FillThaws(SqliteConnection& connection, const BudgetRow& budget) {
  return ForEachEvent(connection, budget, [&](const v1::LedgerEvent& event) {
    if (!event.has_budget_thawed()) return absl::OkStatus();
    return InsertThaw(connection, budget.budget_id, event.sequence());
  });
}

absl::Status RecordFor(SqliteConnection& connection, const BudgetRow& budget,
                       absl::string_view public_key) {
  v1::LedgerEvent event;
  // The ledger has no clock; the budget's last event dates this one well enough.
  TW_ASSIGN_OR_RETURN(const int64_t time_ms, TimeOfLastEvent(connection, budget));
  event.set_time_ms(time_ms);
  event.mutable_signing_key_established()->set_signing_key(std::string(public_key));
  TW_RETURN_IF_ERROR(AppendEvent(connection, budget.budget_id, std::move(event)));
  return SetSigningKey(connection, budget.budget_id, public_key);
}

}  // namespace

absl::Status UpgradeTables(SqliteConnection& connection) {
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection));
  TW_ASSIGN_OR_RETURN(const int version, OlderVersion(connection));
  if (version == 0) return absl::OkStatus();
  if (version == 2) TW_RETURN_IF_ERROR(AddReceiptTables(connection));
  TW_RETURN_IF_ERROR(AddVersion4(connection));
  TW_ASSIGN_OR_RETURN(const std::vector<BudgetRow> budgets, AllBudgets(connection));
  for (const BudgetRow& budget : budgets) {
    if (version == 2) TW_RETURN_IF_ERROR(FillReceipts(connection, budget));
    TW_RETURN_IF_ERROR(FillThaws(connection, budget));
  }
  TW_ASSIGN_OR_RETURN(const std::vector<PlanRow> plans, PlansOf(connection, ""));
  for (const PlanRow& plan : plans) TW_RETURN_IF_ERROR(StoreSpec(connection, plan));
  TOPICWALL_KILL_POINT("before-upgrade-commit");
  return transaction.Commit();
}

absl::Status RecordSigningKey(SqliteConnection& connection, absl::string_view public_key) {
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection));
  TW_ASSIGN_OR_RETURN(const std::vector<BudgetRow> budgets, AllBudgets(connection));
  bool changed = false;
  for (const BudgetRow& budget : budgets) {
    if (budget.signing_key == public_key) continue;
    if (!budget.signing_key.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("budget ", budget.budget_id,
                       " is signed for by another custodian's key: check key_file."));
    }
    TW_RETURN_IF_ERROR(RecordFor(connection, budget, public_key));
    changed = true;
  }
  return changed ? transaction.Commit() : absl::OkStatus();
}

}  // namespace topicwall::ledger
