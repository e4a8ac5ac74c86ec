#include "server/ledger/ledger_verification.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/ledger_chain.h"
#include "proto/receipt.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_picture.h"
#include "server/ledger/budget_replay.h"
#include "server/ledger/receipt_table.h"
#include "server/ledger/release_table.h"

namespace topicwall::ledger {
namespace {

constexpr int64_t kEntriesPerRead = 512;

absl::Status DifferAt(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("the ledger's ", what, " differ from its events."));
}

// Where the first difference lies, for the custodian's terminal.
absl::Status Compare(const BudgetPicture& tables, const BudgetPicture& events) {
  if (tables == events) return absl::OkStatus();
  if (tables.plans != events.plans) return DifferAt("plans or charges");
  if (tables.spent != events.spent) return DifferAt("spent sums");
  if (tables.analyst_spent != events.analyst_spent) return DifferAt("sums spent by analysts");
  if (tables.corpora != events.corpora) return DifferAt("corpora");
  if (tables.thaws != events.thaws) return DifferAt("thaws");
  return DifferAt("budget settings");
}

// How many receipts the budget must have, and has.
absl::StatusOr<int64_t> VerifyBudget(SqliteConnection& connection, const BudgetRow& budget) {
  int64_t receipts = 0;
  proto::ChainVerifier chain;
  BudgetReplay replay;
  for (;;) {
    TW_ASSIGN_OR_RETURN(
        const std::vector<v1::LedgerEntry> entries,
        ReadEntries(connection, budget.budget_id, chain.length() + 1, kEntriesPerRead));
    for (const v1::LedgerEntry& entry : entries) {
      TW_RETURN_IF_ERROR(chain.Add(entry));
      if (chain.event().budget_id() != budget.budget_id) return DifferAt("budget ids");
      TW_RETURN_IF_ERROR(replay.Apply(chain.event()));
      TW_RETURN_IF_ERROR(CheckReceipt(connection, chain.event(), replay.picture().spent));
      if (!proto::SubjectOf(chain.event()).plan_id.empty()) ++receipts;
    }
    if (entries.empty()) break;
  }
  if (chain.length() != budget.events || chain.head() != budget.head) {
    return absl::DataLossError("the ledger's events end before its head: some are missing.");
  }
  TW_ASSIGN_OR_RETURN(const BudgetPicture tables, PictureOfTables(connection, budget));
  TW_RETURN_IF_ERROR(Compare(tables, replay.picture()));
  return receipts;
}

absl::StatusOr<int64_t> Count(SqliteConnection& connection, absl::string_view table) {
  TW_ASSIGN_OR_RETURN(SqliteStatement row,
                      connection.Prepare(absl::StrCat("SELECT COUNT(*) FROM ", table)));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  return found ? row.Int64(0) : 0;
}

// Rows that hang on no budget are in no picture; foreign keys forbid them, editors do not.
absl::Status VerifyNothingLeftOver(SqliteConnection& connection,
                                   const std::vector<BudgetRow>& budgets, int64_t receipts) {
  int64_t events = 0;
  for (const BudgetRow& budget : budgets) events += budget.events;
  TW_ASSIGN_OR_RETURN(const int64_t stored_events, Count(connection, "event"));
  if (events != stored_events) return DifferAt("budgets");
  TW_ASSIGN_OR_RETURN(const int64_t stored_receipts, Count(connection, "receipt"));
  if (receipts != stored_receipts) return DifferAt("receipts");
  TW_ASSIGN_OR_RETURN(SqliteStatement row, connection.Prepare("PRAGMA foreign_key_check"));
  TW_ASSIGN_OR_RETURN(const bool orphan, row.Step());
  return orphan ? DifferAt("rows") : absl::OkStatus();
}

}  // namespace

absl::Status VerifyBudgets(SqliteConnection& connection) {
  TW_ASSIGN_OR_RETURN(const std::vector<BudgetRow> budgets, AllBudgets(connection));
  int64_t receipts = 0;
  for (const BudgetRow& budget : budgets) {
    TW_ASSIGN_OR_RETURN(const int64_t of_budget, VerifyBudget(connection, budget));
    receipts += of_budget;
  }
  return VerifyNothingLeftOver(connection, budgets, receipts);
}

absl::Status VerifyWholeFile(SqliteConnection& connection) {
  {
    TW_ASSIGN_OR_RETURN(SqliteStatement row, connection.Prepare("PRAGMA integrity_check(1)"));
    TW_ASSIGN_OR_RETURN(const bool found, row.Step());
    if (!found || row.Bytes(0) != "ok") {
      return absl::DataLossError("the ledger's file is damaged in its structure.");
    }
  }
  TW_RETURN_IF_ERROR(VerifyBudgets(connection));
  for (const ChargeState state : {ChargeState::kStored, ChargeState::kPublished}) {
    TW_ASSIGN_OR_RETURN(const std::vector<ChargeRow> charges, ChargesInState(connection, state));
    for (const ChargeRow& charge : charges) {
      TW_RETURN_IF_ERROR(CheckRelease(connection, charge));
    }
  }
  return absl::OkStatus();
}

}  // namespace topicwall::ledger
