#include "server/vault/custodian_door.h"

#include <string>

#include "base/status_macros.h"
#include "server/vault/release_stream.h"

namespace topicwall::server {
namespace {

absl::Status Thaw(ledger::CustodianActs& ledger, const v1::CustodianAct::Thaw& thaw,
                  int64_t now_ms) {
  const ledger::ThawEvidence evidence{.receipts = {thaw.receipts().begin(), thaw.receipts().end()},
                                      .forfeit_unseen = thaw.forfeit_unseen()};
  switch (thaw.by_case()) {
    case v1::CustodianAct::Thaw::kHead:
      return ledger.ThawByHead(thaw.head(), evidence, now_ms);
    case v1::CustodianAct::Thaw::kEvents:
      return ledger.ThawByEvents(thaw.events(), evidence, now_ms);
    case v1::CustodianAct::Thaw::kForfeitedBudgetId:
      return ledger.ThawByForfeiting(thaw.forfeited_budget_id(), now_ms);
    case v1::CustodianAct::Thaw::BY_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("a thaw is by a head, by events or by forfeiting");
}

}  // namespace

// Also called by topicwall-admin, with the ledger that it opened itself where no server runs.
absl::StatusOr<v1::CustodianAnswer> Perform(ledger::CustodianActs& ledger,
                                            const v1::CustodianAct& act, int64_t now_ms) {
  v1::CustodianAnswer answer;
  switch (act.act_case()) {
    case v1::CustodianAct::kCancelledPlanId: {
      TW_ASSIGN_OR_RETURN(*answer.mutable_plan(),
                          ledger.CancelAnyPlan(act.cancelled_plan_id(), now_ms));
      return answer;
    }
    case v1::CustodianAct::kAcknowledgedCorpusVersion:
      TW_RETURN_IF_ERROR(ledger.AcknowledgeOverruns(act.acknowledged_corpus_version(), now_ms));
      return answer;
    case v1::CustodianAct::kThaw:
      TW_RETURN_IF_ERROR(Thaw(ledger, act.thaw(), now_ms));
      return answer;
    case v1::CustodianAct::ACT_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("an act of the custodian's is one of proto/vault.proto");
}

absl::Status CustodianDoor::Handle(const v1::Act& act, acts::ActStream& stream) {
  // Nor does the gate's side answer these (server/vault/vault.cc): what a connection may ask is
  // decided by where it came in.
  if (!act.has_custodian()) {
    return absl::PermissionDeniedError("only the custodian's acts are answered here");
  }
  TW_ASSIGN_OR_RETURN(v1::CustodianAnswer answer,
                      Perform(ledger_, act.custodian(), clock_.NowMs()));
  return Send(std::move(answer), stream);
}

}  // namespace topicwall::server
