#include "server/ledger/budget_table.h"

#include "absl/strings/str_cat.h"
#include "server/ledger/ledger_requests.h"
#include "server/ledger/policy_record.h"
#include "server/ledger/spent_vector.h"

namespace topicwall::ledger {
namespace {

constexpr absl::string_view kBudgetColumns =
    "SELECT budget_id, privacy_unit, policy, spent, events, head, restored_at, "
    "signing_key FROM budget ";
constexpr absl::string_view kCorpusColumns =
    "SELECT corpus_version, corpus, budget_id, overruns, acknowledged, restarts, voided, "
    "unreadable FROM corpus ";

absl::StatusOr<BudgetRow> BudgetOfRow(const SqliteStatement& row) {
  BudgetRow budget{.budget_id = row.Bytes(0),
                   .privacy_unit = static_cast<v1::PrivacyUnit>(row.Int(1)),
                   .policy = row.Bytes(2),
                   .spent = {},
                   .events = row.Int64(4),
                   .head = row.Bytes(5),
                   .restored_at = row.Int64(6),
                   .signing_key = row.Bytes(7)};
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, budget.Policy());
  TW_ASSIGN_OR_RETURN(budget.spent, CostOfBytes(row.Bytes(3), policy.NothingSpent().size()));
  return budget;
}

CorpusRow CorpusOfRow(const SqliteStatement& row) {
  return CorpusRow{.corpus_version = row.Bytes(0),
                   .corpus = row.Bytes(1),
                   .budget_id = row.Bytes(2),
                   .overruns = row.Int64(3),
                   .acknowledged = row.Int64(4),
                   .restarts = row.Int64(5),
                   .voided = row.Int64(6),
                   .unreadable = row.Int64(7)};
}

}  // namespace

absl::StatusOr<accountant::AdmissionPolicy> BudgetRow::Policy() const {
  return PolicyOfBytes(policy);
}

absl::Status InsertBudget(SqliteConnection& connection, const BudgetRow& row) {
  return connection.Run("INSERT INTO budget VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row.budget_id,
                        int64_t{row.privacy_unit}, Blob{row.policy}, Blob{BytesOfCost(row.spent)},
                        row.events, Blob{row.head}, row.restored_at, Blob{row.signing_key});
}

absl::StatusOr<BudgetRow> FindBudget(SqliteConnection& connection, absl::string_view budget_id) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection.Prepare(absl::StrCat(kBudgetColumns, "WHERE budget_id = ?"), budget_id));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return absl::NotFoundError("no budget with this budget_id.");
  return BudgetOfRow(row);
}

absl::StatusOr<std::vector<BudgetRow>> AllBudgets(SqliteConnection& connection) {
  TW_ASSIGN_OR_RETURN(SqliteStatement row,
                      connection.Prepare(absl::StrCat(kBudgetColumns, "ORDER BY rowid")));
  std::vector<BudgetRow> budgets;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return budgets;
    TW_ASSIGN_OR_RETURN(BudgetRow budget, BudgetOfRow(row));
    budgets.push_back(std::move(budget));
  }
}

absl::Status SetSpent(SqliteConnection& connection, absl::string_view budget_id,
                      const accountant::CostVector& spent) {
  return connection.Run("UPDATE budget SET spent = ? WHERE budget_id = ?", Blob{BytesOfCost(spent)},
                        budget_id);
}

absl::Status SetRestoredAt(SqliteConnection& connection, absl::string_view budget_id,
                           int64_t restored_at) {
  return connection.Run("UPDATE budget SET restored_at = ? WHERE budget_id = ?", restored_at,
                        budget_id);
}

absl::Status SetSigningKey(SqliteConnection& connection, absl::string_view budget_id,
                           absl::string_view public_key) {
  return connection.Run("UPDATE budget SET signing_key = ? WHERE budget_id = ?", Blob{public_key},
                        budget_id);
}

bool CorpusRow::paused() const { return unreadable > 0 || unacknowledged() >= kOverrunsThatPause; }

absl::Status InsertCorpus(SqliteConnection& connection, const CorpusRow& row) {
  return connection.Run(
      "INSERT INTO corpus (corpus_version, corpus, budget_id, overruns, acknowledged) "
      "VALUES (?, ?, ?, ?, ?)",
      Blob{row.corpus_version}, row.corpus, row.budget_id, row.overruns, row.acknowledged);
}

absl::StatusOr<CorpusRow> FindCorpus(SqliteConnection& connection,
                                     absl::string_view corpus_version) {
  TW_ASSIGN_OR_RETURN(SqliteStatement row,
                      connection.Prepare(absl::StrCat(kCorpusColumns, "WHERE corpus_version = ?"),
                                         Blob{corpus_version}));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return absl::NotFoundError("no budget is open for this corpus version.");
  return CorpusOfRow(row);
}

absl::StatusOr<std::vector<CorpusRow>> AllCorpora(SqliteConnection& connection) {
  TW_ASSIGN_OR_RETURN(SqliteStatement row,
                      connection.Prepare(absl::StrCat(kCorpusColumns, "ORDER BY rowid")));
  std::vector<CorpusRow> corpora;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return corpora;
    corpora.push_back(CorpusOfRow(row));
  }
}

absl::Status SetCounters(SqliteConnection& connection, const CorpusRow& row) {
  return connection.Run(
      "UPDATE corpus SET overruns = ?, acknowledged = ?, restarts = ?, voided = ?, unreadable = ? "
      "WHERE corpus_version = ?",
      row.overruns, row.acknowledged, row.restarts, row.voided, row.unreadable,
      Blob{row.corpus_version});
}

absl::StatusOr<std::map<std::string, int64_t>> ReleasesReserved(SqliteConnection& connection,
                                                                absl::string_view budget_id) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection.Prepare("SELECT principal, SUM(reserved_iterations) FROM plan JOIN corpus "
                         "USING (corpus_version) WHERE budget_id = ? GROUP BY principal",
                         budget_id));
  std::map<std::string, int64_t> releases;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return releases;
    releases[row.Bytes(0)] = row.Int64(1);
  }
}

absl::Status InsertThaw(SqliteConnection& connection, absl::string_view budget_id,
                        int64_t sequence) {
  return connection.Run("INSERT INTO thaw VALUES (?, ?)", budget_id, sequence);
}

absl::StatusOr<std::vector<int64_t>> ThawsOf(SqliteConnection& connection,
                                             absl::string_view budget_id) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection.Prepare("SELECT sequence FROM thaw WHERE budget_id = ? ORDER BY sequence",
                         budget_id));
  std::vector<int64_t> thaws;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return thaws;
    thaws.push_back(row.Int64(0));
  }
}

absl::StatusOr<accountant::CostVector> AnalystSpent(SqliteConnection& connection,
                                                    const BudgetRow& budget,
                                                    absl::string_view principal) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection.Prepare("SELECT spent FROM analyst WHERE budget_id = ? AND principal = ?",
                         budget.budget_id, principal));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return accountant::CostVector(budget.spent.size(), 0);
  return CostOfBytes(row.Bytes(0), budget.spent.size());
}

absl::Status SetAnalystSpent(SqliteConnection& connection, absl::string_view budget_id,
                             absl::string_view principal, const accountant::CostVector& spent) {
  return connection.Run(
      "INSERT INTO analyst VALUES (?, ?, ?) "
      "ON CONFLICT (budget_id, principal) DO UPDATE SET spent = excluded.spent",
      budget_id, principal, Blob{BytesOfCost(spent)});
}

absl::StatusOr<std::vector<PrincipalSpending>> AllAnalystsSpent(SqliteConnection& connection,
                                                                const BudgetRow& budget) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection.Prepare(
          "SELECT principal, spent FROM analyst WHERE budget_id = ? ORDER BY principal",
          budget.budget_id));
  std::vector<PrincipalSpending> all;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return all;
    TW_ASSIGN_OR_RETURN(accountant::CostVector spent,
                        CostOfBytes(row.Bytes(1), budget.spent.size()));
    all.emplace_back(row.Bytes(0), std::move(spent));
  }
}

absl::StatusOr<OpenCorpus> FindWithBudget(SqliteConnection& connection,
                                          absl::string_view corpus_version) {
  absl::StatusOr<CorpusRow> corpus = FindCorpus(connection, corpus_version);
  if (absl::IsNotFound(corpus.status())) {
    return absl::FailedPreconditionError(
        "no budget is open for this version of the corpus: ask the custodian.");
  }
  if (!corpus.ok()) return corpus.status();
  TW_ASSIGN_OR_RETURN(BudgetRow budget, FindBudget(connection, corpus->budget_id));
  return OpenCorpus{.corpus = *std::move(corpus), .budget = std::move(budget)};
}

absl::Status RequireThawed(const BudgetRow& budget) {
  if (!budget.frozen()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the corpus is frozen: its ledger was restored from a backup and the custodian has not "
      "thawed it. Stored releases can be read.");
}

absl::Status RequireOpen(const OpenCorpus& open) {
  TW_RETURN_IF_ERROR(RequireThawed(open.budget));
  if (!open.corpus.paused()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      open.corpus.unreadable > 0
          ? "the corpus is paused: documents could not be read. Ask the custodian."
          : "the corpus is paused: too many releases missed their instant. Ask the custodian.");
}

}  // namespace topicwall::ledger
