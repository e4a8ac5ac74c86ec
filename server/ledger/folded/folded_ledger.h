// The ledger as a fold: its state follows from the events of its chains, every act is decided by a
// pure function of that state (accountant/ledger), and what it leads to is appended to a store.
//
// Opening folds and verifies all chains: one that is missing, cut or damaged is an error that names
// `topicwall-admin restore`. Only who noted a later head sees an older copy (seen_heads.h).
// Where others append, too, acts and questions first read what they did, an act that was second is
// decided again (contended_act.h), and open charges have owners (charge_owner.h). Threads: any.
// Acts are serialised, each durable before the state moves. Questions wait for no act.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_FOLDED_LEDGER_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_FOLDED_LEDGER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "accountant/ledger/charge_acts.h"
#include "accountant/ledger/ledger_state.h"
#include "base/threads/steady_wait.h"
#include "server/ledger/custodian_acts.h"
#include "server/ledger/folded/contended_act.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/ledger/folded/release_keys.h"
#include "server/ledger/folded/seen_heads.h"
#include "server/ledger/ledger_keys.h"
#include "server/ledger/privacy_ledger.h"
#include "server/store/data_directory_lock.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

class FoldedLedger final : public PrivacyLedger, public CustodianActs {
 public:
  using Opened = absl::StatusOr<std::unique_ptr<FoldedLedger>>;
  // A new ledger without budgets. Only open-budget does this. Errors as of store::CreateStore.
  static Opened Create(store::DataDirectoryLock lock, LedgerKeys keys);
  // NOT_FOUND if no budget was ever opened here; DATA_LOSS if the ledger is missing or
  // damaged; FAILED_PRECONDITION for other keys, a backup, or an older program's ledger.
  static Opened Open(store::DataDirectoryLock lock, LedgerKeys keys);
  // Without a lock, also beside a running server. Acts are FAILED_PRECONDITION.
  static Opened OpenReadOnly(absl::string_view directory, std::optional<LedgerKeys> keys = {});
  // One that other servers have, too; held to what this one saw (seen_heads.h).
  static Opened OpenShared(store::DataDirectoryLock lock, std::unique_ptr<store::EventStore> store,
                           LedgerKeys keys);
  // On any store, a backup too; without keys for reading only. As KeptState::TakeFrom.
  static Opened Fold(std::unique_ptr<store::EventStore> store, std::optional<LedgerKeys> keys,
                     const std::vector<store::Chain>& seen = {});
  // Beyond what opening verified: the storage's structure and every stored release. DATA_LOSS.
  absl::Status VerifyWholeLedger();
  // What the budget that the corpus spends from stands at, for the custodian's reports. NOT_FOUND.
  absl::StatusOr<accountant::ledger::BudgetState> StateOf(absl::string_view corpus_version);
  // Its charges that are neither stored nor ended. For the custodian, too. NOT_FOUND.
  absl::StatusOr<std::vector<v1::IterationCharged>> UnderWay(absl::string_view corpus_version);
  absl::StatusOr<v1::PlanState> Reserve(const ReserveRequest& request) override;
  absl::StatusOr<v1::PlanPrice> Price(const Purse& purse, const v1::ReleaseSpec& plan,
                                      const accountant::StillWanted& still_wanted = {}) override;
  absl::StatusOr<v1::PlanState> Cancel(absl::string_view principal, absl::string_view plan_id,
                                       int64_t now_ms) override;
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view principal,
                                        absl::string_view plan_id) override;
  absl::StatusOr<PlanPage> ListPlans(const PlanQuery& query) override;
  absl::Status CancelExpired(const std::map<std::string, int>& reservation_days,
                             int64_t now_ms) override;
  absl::StatusOr<ChargeOutcome> Charge(const ChargeRequest& request) override;
  absl::Status Store(const NoisedReceipt& receipt, const v1::StoredRelease& header,
                     absl::Span<const float> statistics,
                     std::optional<int64_t> late_at_ms = std::nullopt) override;
  absl::Status Publish(const Publication& publication) override;
  absl::Status Void(const Voiding& voiding) override;
  absl::Status ReadRelease(absl::string_view principal, absl::string_view plan_id, int iteration,
                           ReleaseSink& sink) override;
  absl::StatusOr<int64_t> LastTimeMs() override;
  absl::StatusOr<std::vector<UnpublishedRelease>> RestartUnfinished(int64_t now_ms) override;
  absl::StatusOr<v1::BudgetStatus> Budget(const BudgetQuery& query) override;
  absl::StatusOr<CorpusStatus> StatusOfCorpus(absl::string_view corpus_version) override;
  std::string AwaitMove(absl::string_view known, absl::Duration at_most) override;
  absl::Status ReadEvents(absl::string_view corpus_version, const Reader& reader,
                          int64_t first_sequence,
                          absl::FunctionRef<absl::Status(v1::LedgerEntry)> sink) override;
  absl::StatusOr<std::string> OpenBudget(const OpenBudgetParams& params) override;
  absl::Status JoinBudget(absl::string_view budget_id, absl::string_view corpus,
                          absl::string_view corpus_version, int64_t now_ms) override;
  absl::StatusOr<std::vector<CorpusStatus>> Corpora() override;
  absl::StatusOr<v1::PlanState> CancelAnyPlan(absl::string_view plan_id, int64_t now_ms) override;
  absl::Status AcknowledgeOverruns(absl::string_view corpus_version, int64_t now_ms) override;
  absl::Status ThawByHead(absl::string_view head, const ThawEvidence& evidence,
                          int64_t now_ms) override;
  absl::Status ThawByEvents(const v1::LedgerExport& lost, const ThawEvidence& evidence,
                            int64_t now_ms) override;
  absl::Status ThawByForfeiting(absl::string_view budget_id, int64_t now_ms) override;
  absl::Status ReplaceSealingKey(sealing::SealingKey key) override;

 private:
  using BudgetState = accountant::ledger::BudgetState;
  using Place = KeptState::Place;
  FoldedLedger(std::unique_ptr<store::EventStore> store, store::Identity identity,
               std::optional<LedgerKeys> keys, std::optional<LedgerSeals> seals);
  // Before a question: the ledger is still there, and what others did to it is in the state.
  absl::Status RequireCurrent() ABSL_LOCKS_EXCLUDED(acts_mutex_, state_mutex_);
  absl::Status Follow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(acts_mutex_);  // before a decision, the same
  // Before an answer: that it has seen what the state has is kept.
  absl::Status Noted() ABSL_LOCKS_EXCLUDED(state_mutex_);
  absl::Status RequireReady() ABSL_LOCKS_EXCLUDED(state_mutex_);
  // Runs an act, which takes acts_mutex_, if it could be answered.
  template <typename Result>
  Result Act(absl::FunctionRef<Result()> act) {
    if (absl::Status ready = RequireReady(); !ready.ok()) return ready;
    Result result = UntilFirst<Result>(store_->OthersWrite(), act);
    if (const absl::Status noted = Noted(); !noted.ok()) return noted;
    return result;
  }
  absl::Status RequireWritable() const;
  // Makes the events durable, with what else the act writes; then moves the state.
  absl::Status Commit(const accountant::ledger::Events& events, store::Change change)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(acts_mutex_) ABSL_LOCKS_EXCLUDED(state_mutex_);
  using Decision = absl::FunctionRef<absl::StatusOr<accountant::ledger::Events>(
      const accountant::ledger::LedgerState& state)>;
  absl::Status DecideAndCommit(const char* name, Decision decide)
      ABSL_LOCKS_EXCLUDED(acts_mutex_, state_mutex_);
  absl::StatusOr<ChargeReceipt> ReceiptOf(const ChargeRequest& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(acts_mutex_);
  absl::StatusOr<v1::PlanState> Show(const std::string& plan_id) ABSL_LOCKS_EXCLUDED(state_mutex_);
  // Of a plan's act; none if read-only.
  absl::StatusOr<std::optional<v1::SignedReceipt>> Sign(const std::string& plan_id, int64_t event);
  const std::unique_ptr<store::EventStore> store_;
  const store::Identity identity_;
  const std::optional<base::SigningKey> signing_key_;  // none if read-only
  const std::optional<LedgerSeals> seals_;             // likewise
  std::string owner_;                // of the charges made here; empty unless shared
  std::unique_ptr<SeenHeads> seen_;  // if shared
  // One act at a time, from its decision until the state has moved. Before state_mutex_.
  absl::Mutex acts_mutex_ ABSL_ACQUIRED_BEFORE(state_mutex_);
  std::optional<ReleaseKeys> keys_ ABSL_GUARDED_BY(acts_mutex_);  // none if read-only
  mutable absl::Mutex state_mutex_;
  base::SteadyCondVar moved_;
  KeptState state_ ABSL_GUARDED_BY(state_mutex_);
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_FOLDED_LEDGER_H_
