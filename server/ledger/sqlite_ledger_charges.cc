// Iterations: charging. The order of each transaction is the point: nothing is handed out before it
// is durable. What becomes of a charge: sqlite_ledger_publication.cc.
#include <openssl/crypto.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/sqlite_ledger.h"
#include "server/ledger/sqlite_transaction.h"
#include "server/random/secret_key.h"

namespace topicwall::ledger {
namespace {

absl::string_view AsText(absl::Span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ChargeTerms TermsOf(const PlanRow& plan, const ChargeRow& charge, const v1::PlanSpec& spec) {
  ChargeTerms terms{.charge_id = charge.charge_id,
                    .plan_id = plan.plan_id,
                    .iteration = charge.iteration,
                    .request_digest = {},
                    .corpus_version = {},
                    .charged_at_ms = charge.charged_at_ms,
                    .mechanism = MechanismOf(spec),
                    .begun_at_ms = charge.begun_at_ms()};
  // Both were this long when they were written; verified at opening.
  charge.request_digest.copy(reinterpret_cast<char*>(terms.request_digest.data()),
                             terms.request_digest.size());
  plan.corpus_version.copy(reinterpret_cast<char*>(terms.corpus_version.data()),
                           terms.corpus_version.size());
  return terms;
}

// Another kernel computes other bits from the same coins and the same noise: together they would
// tell more than one release does.
absl::Status RequireKernel(const ChargeRow& charge, absl::string_view kernel_name) {
  if (charge.kernel_name.empty() || charge.kernel_name == kernel_name) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the iteration was charged for kernel ", charge.kernel_name,
                   " and the server now computes with ", kernel_name,
                   ": ask the custodian to start it with --kernel ", charge.kernel_name, "."));
}

absl::StatusOr<v1::PlanSpec> SpecOfRow(const PlanRow& plan) {
  v1::PlanSpec spec;
  if (!spec.ParseFromString(plan.spec)) {
    return absl::DataLossError("the ledger holds an unreadable plan.");
  }
  return spec;
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
                   .intervals_waited = 0,
                   .release_interval_ms = request.release_interval_ms,
                   .kernel_name = request.kernel_name,
                   .free_processors = request.free_processors};
  TW_ASSIGN_OR_RETURN(charge.sealed_release_key,
                      key_->Seal(AsText(release_key.ExposeBytes()), PlaceOfKey(charge)));
  TW_ASSIGN_OR_RETURN(charge.charge_id, InsertCharge(connection_, charge));
  v1::LedgerEvent event = EventOn(plan, request.now_ms);
  v1::IterationCharged* act = event.mutable_iteration_charged();
  act->set_plan_id(plan.plan_id);
  act->set_iteration(charge.iteration);
  act->set_request_digest(charge.request_digest);
  act->set_release_interval_ms(charge.release_interval_ms);
  act->set_kernel_name(charge.kernel_name);
  act->set_free_processors(charge.free_processors);
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
  if (charge.state == ChargeState::kLost || charge.state == ChargeState::kVoided) {
    return ReleaseLost();
  }
  TW_ASSIGN_OR_RETURN(OpenCorpus open, FindWithBudget(connection_, plan.corpus_version));
  TW_RETURN_IF_ERROR(RequireThawed(open.budget));
  if (charge.state == ChargeState::kStored) {
    return AwaitingPublication{.charge_id = charge.charge_id, .begun_at_ms = charge.begun_at_ms()};
  }
  TW_RETURN_IF_ERROR(RequireOpen(open));
  TW_RETURN_IF_ERROR(RequireKernel(charge, request.kernel_name));
  TW_ASSIGN_OR_RETURN(const v1::PlanSpec spec, SpecOfRow(plan));
  absl::StatusOr<random::SecretKey> release_key = Unseal(charge);
  const bool damaged = absl::IsDataLoss(release_key.status());
  if (!release_key.ok() && !damaged) return release_key.status();
  if (damaged || charge.recomputations >= kMaxRecomputations) {
    return GivenUp{.charge_id = charge.charge_id, .begun_at_ms = request.now_ms};
  }
  // Counted first: a request that kills the server each time does so only so often.
  ++charge.recomputations;
  TW_RETURN_IF_ERROR(Restart(plan, charge, open.corpus, request.now_ms));
  TOPICWALL_KILL_POINT("before-recompute-commit");
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT("after-recompute-commit");
  return MakeReceipt(TermsOf(plan, charge, spec), *std::move(release_key));
}

// Begins the instants of a pending release again: a public act, and told as one.
absl::Status SqliteLedger::Restart(const PlanRow& plan, ChargeRow& charge, CorpusRow& corpus,
                                   int64_t now_ms) {
  charge.restarted_at_ms = now_ms;
  TW_RETURN_IF_ERROR(UpdateCharge(connection_, charge));
  ++corpus.restarts;
  TW_RETURN_IF_ERROR(SetCounters(connection_, corpus));
  v1::LedgerEvent event = EventOn(plan, now_ms);
  event.mutable_release_restarted()->set_plan_id(plan.plan_id);
  event.mutable_release_restarted()->set_iteration(charge.iteration);
  return AppendEvent(connection_, corpus.budget_id, std::move(event));
}

absl::Status SqliteLedger::PausePlan(PlanRow plan, int iteration, int64_t now_ms) {
  if (plan.state != v1::PlanState::ACTIVE) return absl::OkStatus();
  plan.state = v1::PlanState::PAUSED;
  TW_RETURN_IF_ERROR(UpdatePlan(connection_, plan));
  v1::LedgerEvent event = EventOn(plan, now_ms);
  event.mutable_plan_paused()->set_plan_id(plan.plan_id);
  event.mutable_plan_paused()->set_iteration(iteration);
  TW_ASSIGN_OR_RETURN(const CorpusRow corpus, FindCorpus(connection_, plan.corpus_version));
  return AppendEvent(connection_, corpus.budget_id, std::move(event));
}

}  // namespace topicwall::ledger
