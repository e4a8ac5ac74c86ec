// The ledger on one SQLite file, for one server process.
//
//   TW_ASSIGN_OR_RETURN(DataDirectoryLock lock, DataDirectoryLock::Acquire(directory));
//   TW_ASSIGN_OR_RETURN(auto ledger, SqliteLedger::Open(std::move(lock), std::move(keys)));
//
// Files and tables: ledger_schema.h. Every act is one IMMEDIATE transaction with
// synchronous=FULL; nothing is cached between acts, so what is decided is decided on what is
// on the disk. Opening verifies (ledger_verification.h): a ledger that is missing, cut,
// edited or another one is an error that names `topicwall-admin restore`, never an empty one.
//
// Release keys are sealed under the custodian's key to their place: ledger, epoch, plan,
// iteration, digest. Storing a release overwrites its sealed key in the file.
//
// One writer: the server or a writing command holds the data directory's lock as long as the
// object lives. Readers (OpenReadOnly) work beside it and see it move.
//
// Threads: any; one connection, one mutex. Sinks are called without it, and whatever hashes a
// release or composes vouchers. Cost, if a sync takes 1 ms: an act a few ms, storing 10 ms a MB.
#ifndef TOPICWALL_SERVER_LEDGER_SQLITE_LEDGER_H_
#define TOPICWALL_SERVER_LEDGER_SQLITE_LEDGER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/custodian_acts.h"
#include "server/ledger/data_directory_lock.h"
#include "server/ledger/ledger_keys.h"
#include "server/ledger/ledger_schema.h"
#include "server/ledger/plan_admission.h"
#include "server/ledger/plan_table.h"
#include "server/ledger/privacy_ledger.h"
#include "server/ledger/sqlite_connection.h"
#include "server/ledger/sqlite_transaction.h"

namespace topicwall::ledger {

class SqliteLedger final : public PrivacyLedger, public CustodianActs {
 public:
  // A new ledger without budgets. Only open-budget does this. ALREADY_EXISTS if the directory
  // has, or had, a ledger: any of its files, unless a creation was interrupted between them.
  static absl::StatusOr<std::unique_ptr<SqliteLedger>> Create(DataDirectoryLock lock,
                                                              LedgerKeys keys);

  // NOT_FOUND if no budget was ever opened here; DATA_LOSS if the ledger is missing or
  // damaged; FAILED_PRECONDITION for other keys or a backup. Upgrades (ledger_upgrade.h).
  static absl::StatusOr<std::unique_ptr<SqliteLedger>> Open(DataDirectoryLock lock,
                                                            LedgerKeys keys);

  // Without keys and lock, also beside a running server. Acts are FAILED_PRECONDITION, and nothing
  // is signed.
  static absl::StatusOr<std::unique_ptr<SqliteLedger>> OpenReadOnly(absl::string_view directory);
  // Beyond what opening verified: the file's structure and every stored release. DATA_LOSS.
  absl::Status VerifyWholeLedger();

  // PrivacyLedger
  absl::StatusOr<v1::PlanState> Reserve(const ReserveRequest& request) override;
  absl::StatusOr<PlanQuote> Price(const Purse& purse, const v1::PlanSpec& plan) override;
  absl::StatusOr<v1::PlanState> Cancel(absl::string_view principal, absl::string_view plan_id,
                                       int64_t now_ms) override;
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view principal,
                                        absl::string_view plan_id) override;
  absl::StatusOr<PlanPage> ListPlans(const PlanQuery& query) override;
  absl::Status CancelExpired(absl::string_view corpus_version, int reservation_days,
                             int64_t now_ms) override;
  absl::StatusOr<ChargeOutcome> Charge(const ChargeRequest& request) override;
  absl::Status Store(NoisedReceipt receipt, const v1::StoredRelease& header,
                     absl::Span<const float> statistics) override;
  absl::Status Publish(const Publication& publication) override;
  absl::Status Void(const Voiding& voiding) override;
  absl::Status ReadRelease(absl::string_view principal, absl::string_view plan_id, int iteration,
                           ReleaseSink& sink) override;
  absl::StatusOr<int64_t> LastTimeMs() override;
  absl::StatusOr<std::vector<UnpublishedRelease>> RestartUnfinished(int64_t now_ms) override;
  absl::StatusOr<v1::BudgetStatus> Budget(const BudgetQuery& query) override;
  absl::StatusOr<CorpusStanding> Standing(absl::string_view corpus_version) override;
  absl::Status ReadEvents(absl::string_view corpus_version, const Reader& reader,
                          int64_t first_sequence,
                          absl::FunctionRef<absl::Status(const v1::LedgerEntry&)> sink) override;

  // CustodianActs
  absl::StatusOr<std::string> OpenBudget(const OpenBudgetParams& params) override;
  absl::Status JoinBudget(absl::string_view budget_id, absl::string_view corpus,
                          absl::string_view corpus_version, int64_t now_ms) override;
  absl::StatusOr<std::vector<CorpusStanding>> Corpora() override;
  absl::StatusOr<v1::PlanState> CancelAnyPlan(absl::string_view plan_id, int64_t now_ms) override;
  absl::Status AcknowledgeOverruns(absl::string_view corpus_version, int64_t now_ms) override;
  absl::Status ThawByHead(absl::string_view head, const ThawEvidence& evidence,
                          int64_t now_ms) override;
  absl::Status ThawByEvents(const v1::LedgerExport& lost, const ThawEvidence& evidence,
                            int64_t now_ms) override;
  absl::Status ThawByForfeiting(absl::string_view budget_id, int64_t now_ms) override;
  absl::Status ReplaceSealingKey(sealing::SealingKey key) override;

 private:
  SqliteLedger(DataDirectoryLock lock, SqliteConnection connection, LedgerKeys keys,
               LedgerIdentity identity);
  SqliteLedger(SqliteConnection connection, LedgerIdentity identity);  // read-only

  absl::StatusOr<std::variant<v1::PlanState, RefusedPlan>> TryToReserve(
      const ReserveRequest& request) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<Accounts> AccountsOf(const OpenCorpus& open, absl::string_view principal)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<v1::PlanState> AddPlan(const ReserveRequest& request, const OpenCorpus& open,
                                        const Verdict& verdict)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<v1::PlanState> CancelRow(PlanRow plan, int64_t now_ms)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::StatusOr<ChargeOutcome> ChargeFirst(const PlanRow& plan, const ChargeRequest& request,
                                            WriteTransaction transaction)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<ChargeOutcome> ChargeAgain(const PlanRow& plan, ChargeRow charge,
                                            const ChargeRequest& request,
                                            WriteTransaction transaction)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Restart(const PlanRow& plan, ChargeRow& charge, CorpusRow& corpus, int64_t now_ms)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string PlaceOfKey(const ChargeRow& charge) const;
  absl::StatusOr<random::SecretKey> Unseal(const ChargeRow& charge)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status PausePlan(PlanRow plan, int iteration, int64_t now_ms)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status PauseAfterDamage(absl::string_view plan_id, const ChargeRow& charge)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<CorpusStanding> StandingOf(const CorpusRow& corpus)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // Constant after construction.
  const std::optional<DataDirectoryLock> lock_;  // none if read-only
  const LedgerIdentity identity_;
  const std::optional<base::SigningKey> signing_key_;  // none if read-only

  absl::Mutex mutex_;
  SqliteConnection connection_ ABSL_GUARDED_BY(mutex_);
  std::optional<sealing::SealingKey> key_ ABSL_GUARDED_BY(mutex_);  // none if read-only
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_SQLITE_LEDGER_H_
