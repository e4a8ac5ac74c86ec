// A SqliteLedger with the fold of accountant/ledger beside it, which must decide the same.
//
//   ShadowLedger ledger(testing::NotesBudget());
//   ledger.Reserve(…);                          // as of any ledger; differences fail the test
//
// Each act is done by the SqliteLedger and decided by the fold, from the chains before it: both
// must accept or refuse in the same words, the chains must have grown by exactly what was decided
// (but for salts), and everything that the tables say of a corpus must be what the fold says. What
// an act needs that no event tells, the shadow keeps as the wall will: request ids, one private row
// for each open charge, and the chains themselves. Ids and digests are the SqliteLedger's.
//
// The one difference that is meant: thawing by events takes over more than the SqliteLedger does.
// There what it did take over is compared, and the fold goes on with its chain.
//
// Threads: any; one act at a time.
#ifndef TOPICWALL_TESTS_SERVER_LEDGER_SHADOW_LEDGER_H_
#define TOPICWALL_TESTS_SERVER_LEDGER_SHADOW_LEDGER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "accountant/ledger/charge_acts.h"
#include "accountant/ledger/ledger_state.h"
#include "server/ledger/sqlite_ledger.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::ledger {

class ShadowLedger final : public PrivacyLedger, public CustodianActs {
 public:
  explicit ShadowLedger(const OpenBudgetParams& first);
  // Beside a ledger as it was opened; of no charge is known whether its key is there. Without
  // Reopen, Backup and Restore.
  explicit ShadowLedger(std::unique_ptr<SqliteLedger> opened);

  const std::string& first_budget() const { return first_budget_; }
  const accountant::ledger::LedgerState& state() const { return kept_.state; }
  // How many acts were decided with events, without any, and refused.
  struct Tally {
    int64_t changed = 0;
    int64_t unchanged = 0;
    int64_t refused = 0;
  };
  const Tally& tally() const { return tally_; }

  // As after a restart; the fold of all chains from their beginning must be the state so far.
  void Reopen();
  // Makes a backup; puts the last one in the place of the ledger, with its fold.
  void Backup();
  void Restore(int64_t now_ms);

  absl::Status VerifyWholeLedger() { return real_->VerifyWholeLedger(); }

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
  using Iteration = std::pair<std::string, int>;  // plan id and iteration
  struct PrivateRow {
    int64_t charge_id;  // the SqliteLedger's
    accountant::ledger::OpenCharge open;
  };
  // What the wall keeps: the chains with their fold, and beside them what no event tells.
  struct Memory {
    accountant::ledger::LedgerState state;
    std::map<std::string, std::vector<v1::LedgerEntry>> chains;           // by budget
    std::map<std::pair<std::string, std::string>, std::string> requests;  // plan text
    std::map<Iteration, PrivateRow> open;
    int64_t epoch = 1;
  };

  // The act was done, with this outcome, and decided. Takes what the chains grew by.
  void Compare(const absl::Status& done, const absl::StatusOr<accountant::ledger::Events>& decided);
  // By budget, behind what the shadow has.
  std::map<std::string, std::vector<v1::LedgerEntry>> NewEntries();
  void Take(const std::map<std::string, std::vector<v1::LedgerEntry>>& grown);
  void CompareStandings();
  void CompareThawedByEvents(const absl::StatusOr<accountant::ledger::Events>& decided);
  accountant::ledger::OpenCharge OpenOf(const std::string& plan_id, int iteration) const;
  void Open();

  std::mutex mutex_;
  std::unique_ptr<testing::TemporaryDirectory> directory_;
  std::unique_ptr<testing::TemporaryDirectory> backup_directory_;
  std::unique_ptr<SqliteLedger> real_;
  std::string first_budget_;
  Memory kept_;
  Memory backup_;
  Tally tally_;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_TESTS_SERVER_LEDGER_SHADOW_LEDGER_H_
