// What becomes of a charge: it is stored, published, voided, or begun again after a start.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/release_table.h"
#include "server/ledger/sqlite_ledger.h"
#include "server/ledger/sqlite_transaction.h"

namespace topicwall::ledger {
namespace {

absl::string_view AsText(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

absl::Status SqliteLedger::Store(NoisedReceipt receipt, const v1::StoredRelease& header,
                                 absl::Span<const float> statistics) {
  const int64_t topics = receipt.mechanism().num_topics;
  const int64_t entries = static_cast<int64_t>(statistics.size());
  if (entries == 0 || entries % topics != 0) {
    return absl::InvalidArgumentError(absl::StrCat("statistics must hold num_topics = ", topics,
                                                   " whole rows; got ", entries, " entries."));
  }
  v1::StoredRelease complete = header;
  complete.set_num_topics(static_cast<int32_t>(topics));
  complete.set_vocabulary_size(entries / topics);
  const SealedRelease release = SealRelease(std::move(complete), statistics);

  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(PlanAndCharge both,
                      FindBoth(connection_, receipt.plan_id(), receipt.iteration()));
  TW_ASSIGN_OR_RETURN(const OpenCorpus open, FindWithBudget(connection_, both.plan.corpus_version));
  TW_RETURN_IF_ERROR(RequireThawed(open.budget));
  ChargeRow& charge = both.charge;
  if (charge.charge_id != receipt.charge_id() || charge.state != ChargeState::kCharged ||
      charge.request_digest != AsText(receipt.request_digest())) {
    return absl::FailedPreconditionError("the iteration must be charged under this receipt.");
  }
  TW_RETURN_IF_ERROR(InsertRelease(connection_, charge.charge_id, release));
  charge.state = ChargeState::kStored;
  charge.header_sha256 = release.header_sha256;
  charge.release_sha256 = release.release_sha256;
  TW_RETURN_IF_ERROR(UpdateCharge(connection_, charge));
  TOPICWALL_KILL_POINT("before-store-commit");
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT("after-store-commit");
  return absl::OkStatus();
}

absl::Status SqliteLedger::Publish(const Publication& publication) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(PlanAndCharge both,
                      FindBoth(connection_, publication.plan_id, publication.iteration));
  ChargeRow& charge = both.charge;
  if (charge.state == ChargeState::kPublished) return absl::OkStatus();
  if (charge.state != ChargeState::kStored) {
    return absl::FailedPreconditionError("only a stored release can be published.");
  }
  TW_ASSIGN_OR_RETURN(OpenCorpus open, FindWithBudget(connection_, both.plan.corpus_version));
  TW_RETURN_IF_ERROR(RequireThawed(open.budget));
  charge.state = ChargeState::kPublished;
  charge.readable_at_ms = publication.readable_at_ms;
  charge.intervals_waited = publication.intervals_waited;
  TW_RETURN_IF_ERROR(UpdateCharge(connection_, charge));
  if (publication.intervals_waited > 1) {
    ++open.corpus.overruns;
    TW_RETURN_IF_ERROR(SetCounters(connection_, open.corpus));
  }
  v1::LedgerEvent event = EventOn(both.plan, publication.readable_at_ms);
  v1::ReleasePublished* act = event.mutable_release_published();
  act->set_plan_id(both.plan.plan_id);
  act->set_iteration(charge.iteration);
  act->set_release_sha256(charge.release_sha256);
  act->set_header_sha256(charge.header_sha256);
  act->set_intervals_waited(charge.intervals_waited);
  TW_RETURN_IF_ERROR(AppendEvent(connection_, open.budget.budget_id, std::move(event)));
  TOPICWALL_KILL_POINT("before-publish-commit");
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT("after-publish-commit");
  return absl::OkStatus();
}

absl::Status SqliteLedger::Void(const Voiding& voiding) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(PlanAndCharge both,
                      FindBoth(connection_, voiding.plan_id, voiding.iteration));
  ChargeRow& charge = both.charge;
  if (charge.state == ChargeState::kVoided) return absl::OkStatus();
  if (charge.charge_id != voiding.charge_id || charge.state != ChargeState::kCharged) {
    return absl::FailedPreconditionError("only what is charged and not stored can be voided.");
  }
  TW_ASSIGN_OR_RETURN(OpenCorpus open, FindWithBudget(connection_, both.plan.corpus_version));
  TW_RETURN_IF_ERROR(RequireThawed(open.budget));
  charge.state = ChargeState::kVoided;
  charge.void_ground = voiding.ground;
  TW_RETURN_IF_ERROR(UpdateCharge(connection_, charge));
  const bool unreadable = voiding.ground == v1::ReleaseVoided::UNREADABLE_DATA;
  ++open.corpus.voided;
  if (unreadable) ++open.corpus.unreadable;
  TW_RETURN_IF_ERROR(SetCounters(connection_, open.corpus));
  v1::LedgerEvent event = EventOn(both.plan, voiding.at_ms);
  v1::ReleaseVoided* act = event.mutable_release_voided();
  act->set_plan_id(both.plan.plan_id);
  act->set_iteration(charge.iteration);
  act->set_ground(voiding.ground);
  TW_RETURN_IF_ERROR(AppendEvent(connection_, open.budget.budget_id, std::move(event)));
  // What failed may be the request's doing: its plan stops, so that it does not fail again and
  // again. Unreadable data are not, and pause the corpus.
  if (!unreadable) TW_RETURN_IF_ERROR(PausePlan(both.plan, charge.iteration, voiding.at_ms));
  TOPICWALL_KILL_POINT("before-void-commit");
  return transaction.Commit();
}

absl::StatusOr<std::vector<UnpublishedRelease>> SqliteLedger::RestartUnfinished(int64_t now_ms) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(std::vector<ChargeRow> charges,
                      ChargesInState(connection_, ChargeState::kStored));
  std::vector<UnpublishedRelease> unfinished;
  for (ChargeRow& charge : charges) {
    TW_ASSIGN_OR_RETURN(std::optional<PlanRow> plan, FindPlan(connection_, charge.plan_id));
    if (!plan.has_value()) return absl::DataLossError("a charge has lost its plan.");
    TW_ASSIGN_OR_RETURN(OpenCorpus open, FindWithBudget(connection_, plan->corpus_version));
    if (open.budget.frozen()) continue;
    TW_RETURN_IF_ERROR(Restart(*plan, charge, open.corpus, now_ms));
    unfinished.push_back(UnpublishedRelease{.corpus = open.corpus.corpus,
                                            .corpus_version = plan->corpus_version,
                                            .principal = plan->principal,
                                            .plan_id = charge.plan_id,
                                            .iteration = charge.iteration,
                                            .charge_id = charge.charge_id,
                                            .begun_at_ms = charge.begun_at_ms()});
  }
  if (unfinished.empty()) return unfinished;
  TW_RETURN_IF_ERROR(transaction.Commit());
  return unfinished;
}

}  // namespace topicwall::ledger
