// What one budget stands at: the fold of its events, and of nothing else.
//
//   BudgetState state;                                   // before the first event
//   for (const v1::LedgerEntry& entry : chain) TW_RETURN_IF_ERROR(state.Apply(entry));
//   state.spent(), state.plans(), state.head() …
//
// Also the definition of what each event of proto/ledger.proto does to a budget. A value: copies
// are independent, and only Apply changes one. What no event tells is not here and cannot matter
// to a budget: request ids, plans' full text, release keys, what is computed and not yet published.
//
// PUBLIC, but for what analysts do not see of each other (their plans). Const methods from any
// thread. Cost: about 10 µs an event; memory of all plans and charges.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_BUDGET_STATE_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_BUDGET_STATE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "accountant/filters/admission_policy.h"
#include "accountant/ledger/budget_life.h"
#include "accountant/ledger/plan_record.h"
#include "proto/ledger.pb.h"
#include "proto/ledger_chain.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

inline constexpr int64_t kOverrunsThatPause = 3;

// Of one version, what may pause it; of the budget's life: life().
struct Corpus {
  int64_t sequence = 0;  // of its event: the order of joining
  std::string name;
  int64_t overruns = 0;      // releases published after their first instant
  int64_t acknowledged = 0;  // of the overruns and the voided
  int64_t voided = 0;
  int64_t unreadable = 0;  // of the voided, for unreadable data, since the last acknowledgement

  int64_t unacknowledged() const { return overruns + voided - acknowledged; }
  bool paused() const { return unreadable > 0 || unacknowledged() >= kOverrunsThatPause; }
};

struct Restoration {
  int64_t thawed_at_ms;
  v1::BudgetThawed thaw;
};

// Since a backup was put in the place of the ledger, until it is thawed.
struct Freeze {
  int64_t sequence = 0;     // of the BudgetRestored event: the backup ends before it
  std::string backup_head;  // where the backup ends
  std::string head;         // of the BudgetRestored event
};

class BudgetState {
 public:
  // Takes the chain's next entry. DATA_LOSS, naming its number, if it is not the next one, its
  // hashes or its event do not verify (proto/ledger_chain.h), it is hidden, of another budget, or
  // an act that cannot have happened after those before: a charge without a plan, a second end of
  // one iteration, a refund of another number, vouchers that do not pay for their plan … Nothing
  // is changed then. Whether a filter's price is the right one is not computed again, nor whether
  // a plan had room: Decide does before, an auditor afterwards.
  absl::Status Apply(const v1::LedgerEntry& entry);
  // The same, of an entry that VerifyEntry (proto/ledger_chain.h) has found to be the next one.
  absl::Status ApplyVerified(const v1::LedgerEntry& entry, const v1::LedgerEvent& event);

  // Of a chain with at least its opening.
  const std::string& budget_id() const { return budget_id_; }
  const v1::BudgetOpened& opening() const { return opening_; }
  const AdmissionPolicy& policy() const { return *policy_; }
  // The public half; may be empty.
  const std::string& signing_key() const { return opening_.signing_key(); }

  const CostVector& spent() const { return spent_; }  // charged or reserved, by everybody
  // The same, right after the event of this number, in [1, length].
  const CostVector& SpentAfter(int64_t sequence) const;
  CostVector SpentBy(const std::string& principal) const;
  const std::map<std::string, CostVector>& analysts() const { return analysts_; }
  // Iterations charged, or set aside by plans that are not cancelled; by principal.
  const std::map<std::string, int64_t>& ReleasesReserved() const { return releases_reserved_; }

  const BudgetLife& life() const { return life_; }
  const std::map<std::string, Plan>& plans() const { return plans_; }        // by id
  const std::map<std::string, Corpus>& corpora() const { return corpora_; }  // by version
  // Null if there is none.
  const Plan* FindPlan(const std::string& plan_id) const;
  const Corpus* FindCorpus(const std::string& corpus_version) const;

  bool frozen() const { return freeze_.has_value(); }
  const std::optional<Freeze>& freeze() const { return freeze_; }
  // Number and epoch of the last BudgetRestored event, whether thawed or not; 0: none.
  int64_t restored_at() const { return restored_at_; }
  int64_t epoch() const { return epoch_; }
  const std::vector<Restoration>& restorations() const { return restorations_; }
  // Of all budgets that may concern the same people, as it was told last; of this one before.
  const v1::BudgetSum& sum() const { return sum_; }

  int64_t length() const { return length_; }
  const std::string& head() const { return head_; }
  // The latest of its events' times.
  int64_t last_time_ms() const { return last_time_ms_; }

 private:
  bool ApplyAct(const v1::LedgerEvent& event);
  bool Apply(const v1::LedgerEvent& event, const v1::BudgetOpened& act);
  bool Apply(const v1::LedgerEvent& event, const v1::CorpusJoined& act);
  bool Apply(const v1::LedgerEvent& event, const v1::PlanReserved& act);
  bool Apply(const v1::LedgerEvent& event, const v1::PlanCancelled& act);
  bool Apply(const v1::LedgerEvent& event, const v1::IterationCharged& act);
  bool Apply(const v1::LedgerEvent& event, const v1::ReleasePublished& act);
  bool Apply(const v1::LedgerEvent& event, const v1::ReleaseVoided& act);
  bool Apply(const v1::LedgerEvent& event, const v1::ReleaseRestarted& act);
  bool Apply(const v1::LedgerEvent& event, const v1::PlanPaused& act);
  bool Apply(const v1::LedgerEvent& event, const v1::OverrunsAcknowledged& act);
  bool Apply(const v1::LedgerEvent& event, const v1::BudgetsSummed& act);
  bool Apply(const v1::LedgerEvent& event, const v1::BudgetRestored& act);
  bool Apply(const v1::LedgerEvent& event, const v1::BudgetThawed& act);
  void SetSpent(const v1::LedgerEvent& event, CostVector spent);
  // The event's principal's plan; a charge of it that has not ended. Null otherwise.
  Plan* PlanOf(const v1::LedgerEvent& event, const std::string& plan_id);
  struct Pending;
  Pending PendingOf(const v1::LedgerEvent& event, const std::string& plan_id, int iteration);

  std::string budget_id_;
  v1::BudgetOpened opening_;
  std::optional<AdmissionPolicy> policy_;  // from the first event on
  CostVector spent_;
  std::map<int64_t, CostVector> spent_by_event_;  // by the events that changed it
  std::map<std::string, CostVector> analysts_;
  std::map<std::string, int64_t> releases_reserved_;
  BudgetLife life_;
  std::map<std::string, Plan> plans_;
  std::map<std::string, Corpus> corpora_;
  std::optional<Freeze> freeze_;
  int64_t restored_at_ = 0;
  int64_t epoch_ = 0;
  std::vector<Restoration> restorations_;
  v1::BudgetSum sum_;
  int64_t length_ = 0;
  std::string head_ = proto::GenesisHead();
  int64_t last_time_ms_ = 0;
};

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_BUDGET_STATE_H_
