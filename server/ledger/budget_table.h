// The rows of budgets, of the corpora that spend from them, and of what each analyst has
// spent. Callers hold a transaction and the ledger's mutex; every function is one or a few
// statements. PUBLIC values only.
#ifndef TOPICWALL_SERVER_LEDGER_BUDGET_TABLE_H_
#define TOPICWALL_SERVER_LEDGER_BUDGET_TABLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/filters/admission_policy.h"
#include "proto/topicwall.pb.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

struct BudgetRow {
  std::string budget_id;
  v1::PrivacyUnit privacy_unit;
  std::string policy;            // a serialized PolicyRecord
  accountant::CostVector spent;  // charged or reserved
  int64_t events;                // length of the chain
  std::string head;              // 32 bytes
  int64_t restored_at;           // sequence of the BudgetRestored event while frozen, else 0
  std::string signing_key;       // 32 bytes; empty until RecordSigningKey (ledger_upgrade.h)

  bool frozen() const { return restored_at != 0; }
  // DATA_LOSS if the record makes no policy.
  absl::StatusOr<accountant::AdmissionPolicy> Policy() const;
};

absl::Status InsertBudget(SqliteConnection& connection, const BudgetRow& row);
// NOT_FOUND.
absl::StatusOr<BudgetRow> FindBudget(SqliteConnection& connection, absl::string_view budget_id);
absl::StatusOr<std::vector<BudgetRow>> AllBudgets(SqliteConnection& connection);
absl::Status SetSpent(SqliteConnection& connection, absl::string_view budget_id,
                      const accountant::CostVector& spent);
absl::Status SetRestoredAt(SqliteConnection& connection, absl::string_view budget_id,
                           int64_t restored_at);

absl::Status SetSigningKey(SqliteConnection& connection, absl::string_view budget_id,
                           absl::string_view public_key);

struct CorpusRow {
  std::string corpus_version;  // 16 bytes
  std::string corpus;
  std::string budget_id;
  int64_t overruns;
  int64_t acknowledged;    // of the overruns and the voided
  int64_t restarts = 0;    // ReleaseRestarted events
  int64_t voided = 0;      // ReleaseVoided events, for whatever reason
  int64_t unreadable = 0;  // of the voided, for unreadable data, since the last acknowledgement

  // Of what pauses the corpus when there are kOverrunsThatPause.
  int64_t unacknowledged() const { return overruns + voided - acknowledged; }
  // By so many, or by unreadable data.
  bool paused() const;
};

absl::Status InsertCorpus(SqliteConnection& connection, const CorpusRow& row);
// NOT_FOUND.
absl::StatusOr<CorpusRow> FindCorpus(SqliteConnection& connection,
                                     absl::string_view corpus_version);
absl::StatusOr<std::vector<CorpusRow>> AllCorpora(SqliteConnection& connection);
// Everything but version, name and budget.
absl::Status SetCounters(SqliteConnection& connection, const CorpusRow& row);

// Iterations charged, or set aside by plans that are not cancelled, of all corpora of the budget;
// by principal, for those who ever had a plan.
absl::StatusOr<std::map<std::string, int64_t>> ReleasesReserved(SqliteConnection& connection,
                                                                absl::string_view budget_id);

// Where the budget was thawed: the numbers of its BudgetThawed events, ascending.
absl::Status InsertThaw(SqliteConnection& connection, absl::string_view budget_id,
                        int64_t sequence);
absl::StatusOr<std::vector<int64_t>> ThawsOf(SqliteConnection& connection,
                                             absl::string_view budget_id);

// Zeros for an analyst who has not reserved anything.
absl::StatusOr<accountant::CostVector> AnalystSpent(SqliteConnection& connection,
                                                    const BudgetRow& budget,
                                                    absl::string_view principal);
absl::Status SetAnalystSpent(SqliteConnection& connection, absl::string_view budget_id,
                             absl::string_view principal, const accountant::CostVector& spent);
using PrincipalSpending = std::pair<std::string, accountant::CostVector>;
absl::StatusOr<std::vector<PrincipalSpending>> AllAnalystsSpent(SqliteConnection& connection,
                                                                const BudgetRow& budget);

// A corpus with its budget, as the acts on it need them together.
struct OpenCorpus {
  CorpusRow corpus;
  BudgetRow budget;
};

// FAILED_PRECONDITION if the version has no budget.
absl::StatusOr<OpenCorpus> FindWithBudget(SqliteConnection& connection,
                                          absl::string_view corpus_version);
// FAILED_PRECONDITION, without payload, if frozen; or if paused.
absl::Status RequireThawed(const BudgetRow& budget);
absl::Status RequireOpen(const OpenCorpus& open);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_BUDGET_TABLE_H_
