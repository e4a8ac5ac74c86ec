// What a budget must stand at, from its events alone: the acts done over again, in order.
//
//   BudgetReplay replay;
//   for (...) TW_RETURN_IF_ERROR(replay.Apply(event));
//   replay.picture() == PictureOfTables(...)
//
// Also the definition of what each event does to a budget; proto/ledger.proto says what
// each one means. PUBLIC. One thread. Cost: about 1 µs an event.
#ifndef TOPICWALL_SERVER_LEDGER_BUDGET_REPLAY_H_
#define TOPICWALL_SERVER_LEDGER_BUDGET_REPLAY_H_

#include <optional>

#include "absl/status/status.h"
#include "accountant/filters/admission_policy.h"
#include "proto/ledger.pb.h"
#include "server/ledger/budget_picture.h"

namespace topicwall::ledger {

class BudgetReplay {
 public:
  // DATA_LOSS, naming the event's number, for an act that cannot have happened after the
  // ones before: a charge without a plan, a second one of the same iteration, a plan
  // cancelled twice, vouchers that do not pay for their plan. The picture is then of no use.
  absl::Status Apply(const v1::LedgerEvent& event);

  const BudgetPicture& picture() const { return picture_; }

 private:
  bool ApplyAct(const v1::LedgerEvent& event);
  bool Apply(const v1::BudgetOpened& act);
  bool Apply(const v1::LedgerEvent& event, const v1::PlanReserved& act);
  bool Apply(const v1::LedgerEvent& event, const v1::PlanCancelled& act);
  bool Apply(const v1::LedgerEvent& event, const v1::IterationCharged& act);
  bool Apply(const v1::LedgerEvent& event, const v1::ReleasePublished& act);
  bool Apply(const v1::LedgerEvent& event, const v1::ReleaseVoided& act);
  bool Apply(const v1::LedgerEvent& event, const v1::ReleaseRestarted& act);
  bool Apply(const v1::LedgerEvent& event, const v1::PlanPaused& act);
  bool Apply(const v1::CorpusJoined& act);
  bool Apply(const v1::OverrunsAcknowledged& act);
  bool Apply(const v1::SigningKeyEstablished& act);
  void Restore(int64_t sequence);
  void Thaw(int64_t sequence, const v1::BudgetThawed& act);
  bool Apply(const v1::BudgetsSummed& act);

  // The plan if it is the event's principal's; null otherwise.
  PlanPicture* PlanOf(const v1::LedgerEvent& event, const std::string& plan_id);
  // A charged iteration that was neither published nor voided, with its corpus; null otherwise.
  struct Pending {
    ChargePicture* charge = nullptr;
    CorpusPicture* corpus = nullptr;
  };
  Pending PendingOf(const v1::LedgerEvent& event, const std::string& plan_id, int iteration);

  std::optional<accountant::AdmissionPolicy> policy_;  // from the first event on
  BudgetPicture picture_;
};

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_BUDGET_REPLAY_H_
