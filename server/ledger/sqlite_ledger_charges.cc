// Iterations: charging, storing, publishing. The order of each transaction is the point:
// nothing is handed out before it is durable.
#include <openssl/crypto.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/release_table.h"
#include "server/ledger/sqlite_ledger.h"
#include "server/ledger/sqlite_transaction.h"
#include "server/random/secret_key.h"

namespace topicwall::ledger {
namespace {

absl::string_view AsText(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

v1::LedgerEvent EventOf(const PlanRow& plan, int64_t time_ms) {
  v1::LedgerEvent event;
  event.set_time_ms(time_ms);
  event.set_principal(plan.principal);
  return event;
}

ChargeTerms TermsOf(const PlanRow& plan, const ChargeRow& charge, const v1::PlanSpec& spec) {
  ChargeTerms terms{.charge_id = charge.charge_id,
                    .plan_id = plan.plan_id,
                    .iteration = charge.iteration,
                    .request_digest = {},
                    .corpus_version = {},
                    .charged_at_ms = charge.charged_at_ms,
                    .mechanism = MechanismOf(spec)};
  // Both were this long when they were written; verified at opening.
  charge.request_digest.copy(reinterpret_cast<char*>(terms.request_digest.data()),
                             terms.request_digest.size());
  plan.corpus_version.copy(reinterpret_cast<char*>(terms.corpus_version.data()),
                           terms.corpus_version.size());
  return terms;
}

absl::StatusOr<v1::PlanSpec> SpecOfRow(const PlanRow& plan) {
  v1::PlanSpec spec;
  if (!spec.ParseFromString(plan.spec)) {
    return absl::DataLossError("the ledger holds an unreadable plan.");
  }
  return spec;
}

// The plan and its charge, found by the server itself and not on anybody's behalf.
struct PlanAndCharge {
  PlanRow plan;
  ChargeRow charge;
};

absl::StatusOr<PlanAndCharge> FindBoth(SqliteConnection& connection, absl::string_view plan_id,
                                       int iteration) {
  TW_ASSIGN_OR_RETURN(std::optional<PlanRow> plan, FindPlan(connection, plan_id));
  TW_ASSIGN_OR_RETURN(std::optional<ChargeRow> charge, FindCharge(connection, plan_id, iteration));
  if (!plan.has_value() || !charge.has_value()) {
    return absl::FailedPreconditionError("the iteration must be charged.");
  }
  return PlanAndCharge{*std::move(plan), *std::move(charge)};
}

}  // namespace

// Fields of fixed length, but for the plan's id, which is hexadecimal: no two places alike.
std::string SqliteLedger::PlaceOfKey(const ChargeRow& charge) const {
  return absl::StrCat("topicwall.ledger.release_key ", identity_.ledger_id, " ", identity_.epoch,
                      " ", charge.plan_id, " ", charge.iteration, " ", charge.request_digest);
}

absl::StatusOr<random::SecretKey> SqliteLedger::Unseal(const ChargeRow& charge) {
  TW_ASSIGN_OR_RETURN(std::string bytes, key_->Open(charge.sealed_release_key, PlaceOfKey(charge)));
  if (bytes.size() != random::SecretKey::kSize) return ReleaseLost();
  std::array<uint8_t, random::SecretKey::kSize> copy;
  bytes.copy(reinterpret_cast<char*>(copy.data()), copy.size());
  random::SecretKey key(copy);
  OPENSSL_cleanse(copy.data(), copy.size());
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return key;
}

absl::StatusOr<ChargeOutcome> SqliteLedger::Charge(const ChargeRequest& request) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(const PlanRow plan,
                      FindOwnPlan(connection_, request.principal, request.plan_id));
  if (request.iteration < 1 || request.iteration > plan.iterations) {
    return absl::InvalidArgumentError(absl::StrCat("iteration must be in [1, ", plan.iterations,
                                                   "]; got ", request.iteration, "."));
  }
  TW_ASSIGN_OR_RETURN(std::optional<ChargeRow> charge,
                      FindCharge(connection_, request.plan_id, request.iteration));
  if (!charge.has_value()) return ChargeFirst(plan, request, std::move(transaction));
  return ChargeAgain(plan, *std::move(charge), request, std::move(transaction));
}

absl::StatusOr<ChargeOutcome> SqliteLedger::ChargeFirst(const PlanRow& plan,
                                                        const ChargeRequest& request,
                                                        WriteTransaction transaction) {
  TW_ASSIGN_OR_RETURN(const OpenCorpus open, FindWithBudget(connection_, plan.corpus_version));
  TW_RETURN_IF_ERROR(RequireOpen(open));
  if (plan.state != v1::PlanState::ACTIVE) {
    return absl::FailedPreconditionError(
        absl::StrCat("the plan must be active; it is ",
                     plan.state == v1::PlanState::CANCELLED
                         ? "cancelled."
                         : "paused: ask the custodian, or cancel it and reserve another."));
  }
  TW_ASSIGN_OR_RETURN(const v1::PlanSpec spec, SpecOfRow(plan));
  TW_ASSIGN_OR_RETURN(random::SecretKey release_key, random::SecretKey::Generate());
  ChargeRow charge{.charge_id = 0,
                   .plan_id = plan.plan_id,
                   .iteration = request.iteration,
                   .request_digest = std::string(AsText(request.request_digest)),
                   .charged_at_ms = request.now_ms,
                   .state = ChargeState::kCharged,
                   .recomputations = 0,
                   .sealed_release_key = "",
                   .header_sha256 = "",
                   .release_sha256 = "",
                   .readable_at_ms = 0,
                   .intervals_waited = 0};
  TW_ASSIGN_OR_RETURN(charge.sealed_release_key,
                      key_->Seal(AsText(release_key.ExposeBytes()), PlaceOfKey(charge)));
  TW_ASSIGN_OR_RETURN(charge.charge_id, InsertCharge(connection_, charge));
  v1::LedgerEvent event = EventOf(plan, request.now_ms);
  v1::IterationCharged* act = event.mutable_iteration_charged();
  act->set_plan_id(plan.plan_id);
  act->set_iteration(charge.iteration);
  act->set_request_digest(charge.request_digest);
  TW_RETURN_IF_ERROR(AppendEvent(connection_, open.budget.budget_id, std::move(event)));
  TOPICWALL_KILL_POINT("before-charge-commit");
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT("after-charge-commit");
  return MakeReceipt(TermsOf(plan, charge, spec), std::move(release_key));
}

absl::StatusOr<ChargeOutcome> SqliteLedger::ChargeAgain(const PlanRow& plan, ChargeRow charge,
                                                        const ChargeRequest& request,
                                                        WriteTransaction transaction) {
  if (charge.request_digest != AsText(request.request_digest)) {
    return absl::AlreadyExistsError(
        "this iteration was charged for another request: repeat that one, or use another "
        "iteration.");
  }
  if (charge.state == ChargeState::kPublished) return AlreadyPublished{};
  if (charge.state == ChargeState::kLost) return ReleaseLost();
  TW_ASSIGN_OR_RETURN(const OpenCorpus open, FindWithBudget(connection_, plan.corpus_version));
  TW_RETURN_IF_ERROR(RequireThawed(open.budget));
  if (charge.state == ChargeState::kStored) {
    return AwaitingPublication{.charge_id = charge.charge_id,
                               .charged_at_ms = charge.charged_at_ms};
  }
  TW_RETURN_IF_ERROR(RequireOpen(open));
  TW_ASSIGN_OR_RETURN(const v1::PlanSpec spec, SpecOfRow(plan));
  absl::StatusOr<random::SecretKey> release_key = Unseal(charge);
  const bool damaged = absl::IsDataLoss(release_key.status());
  if (!release_key.ok() && !damaged) return release_key.status();
  if (damaged || charge.recomputations >= kMaxRecomputations) {
    charge.state = ChargeState::kLost;
    TW_RETURN_IF_ERROR(UpdateCharge(connection_, charge));
    TW_RETURN_IF_ERROR(PausePlan(plan, charge.iteration, request.now_ms));
    TW_RETURN_IF_ERROR(transaction.Commit());
    return ReleaseLost();
  }
  // Counted first: a request that kills the server each time does so only so often.
  ++charge.recomputations;
  TW_RETURN_IF_ERROR(UpdateCharge(connection_, charge));
  TOPICWALL_KILL_POINT("before-recompute-commit");
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT("after-recompute-commit");
  return MakeReceipt(TermsOf(plan, charge, spec), *std::move(release_key));
}

absl::Status SqliteLedger::PausePlan(PlanRow plan, int iteration, int64_t now_ms) {
  if (plan.state != v1::PlanState::ACTIVE) return absl::OkStatus();
  plan.state = v1::PlanState::PAUSED;
  TW_RETURN_IF_ERROR(UpdatePlan(connection_, plan));
  v1::LedgerEvent event = EventOf(plan, now_ms);
  event.mutable_plan_paused()->set_plan_id(plan.plan_id);
  event.mutable_plan_paused()->set_iteration(iteration);
  TW_ASSIGN_OR_RETURN(const CorpusRow corpus, FindCorpus(connection_, plan.corpus_version));
  return AppendEvent(connection_, corpus.budget_id, std::move(event));
}

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
  TW_ASSIGN_OR_RETURN(ReleaseDigests digests, InsertRelease(connection_, charge.charge_id,
                                                            std::move(complete), statistics));
  charge.state = ChargeState::kStored;
  charge.header_sha256 = std::move(digests.header_sha256);
  charge.release_sha256 = std::move(digests.release_sha256);
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
    TW_RETURN_IF_ERROR(SetOverruns(connection_, open.corpus));
  }
  v1::LedgerEvent event = EventOf(both.plan, publication.readable_at_ms);
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

}  // namespace topicwall::ledger
