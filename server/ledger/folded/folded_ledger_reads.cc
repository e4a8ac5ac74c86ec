// Reading what was released, and what it cost.
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "accountant/ledger/charge_acts.h"
#include "accountant/ledger/plan_acts.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "proto/release_header.h"
#include "proto/signed_head.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/folded/release_blobs.h"
#include "server/store/entry_reader.h"

namespace topicwall::ledger {
namespace {

namespace fold = accountant::ledger;

v1::ReleaseHeader HeaderOf(const std::string& plan_id, const fold::Charge& charge,
                           const v1::StoredRelease& stored) {
  v1::ReleaseHeader header = proto::HeaderOf(stored);
  header.set_plan_id(plan_id);
  header.set_iteration(charge.terms.iteration());
  header.set_request_digest(charge.terms.request_digest());
  header.set_charged_at_ms(charge.charged_at_ms);
  header.set_readable_at_ms(charge.readable_at_ms);
  return header;
}

v1::CorpusState StateOf(const fold::BudgetState& budget, const fold::Corpus& corpus) {
  if (budget.frozen()) return v1::CORPUS_STATE_FROZEN;
  return corpus.paused() ? v1::CORPUS_STATE_PAUSED : v1::CORPUS_STATE_OPEN;
}

v1::PrincipalBudget PrincipalBudgetOf(absl::string_view principal, double cap, double spent) {
  v1::PrincipalBudget budget;
  budget.set_principal(std::string(principal));
  budget.set_epsilon_cap(cap);
  budget.set_epsilon_spent(spent);
  return budget;
}

v1::HeadStatement HeadOf(const fold::BudgetState& budget) {
  v1::HeadStatement statement;
  statement.set_custodian_id(budget.opening().custodian_id());
  statement.set_budget_id(budget.budget_id());
  statement.set_sequence(budget.length());
  statement.set_head(budget.head());
  return statement;
}

// What costs nothing to say; ε is added without a lock.
v1::BudgetStatus StatusOf(const fold::BudgetState& budget, const fold::Corpus& corpus) {
  v1::BudgetStatus status;
  status.set_corpus(corpus.name);
  const v1::BudgetOpened& opening = budget.opening();
  if (opening.has_filter()) *status.mutable_filter() = opening.filter();
  if (opening.has_inventory()) *status.mutable_inventory() = opening.inventory();
  status.set_epsilon_total(budget.policy().budget().epsilon);
  status.set_delta(budget.policy().budget().delta);
  status.mutable_spent()->Assign(budget.spent().begin(), budget.spent().end());
  status.set_events(budget.length());
  status.set_chain_head(budget.head());
  status.set_state(StateOf(budget, corpus));
  *status.mutable_sum() = budget.sum();
  return status;
}

CorpusStatus CorpusStatusOf(const fold::BudgetState& budget, const std::string& corpus_version) {
  const fold::Corpus& corpus = *budget.FindCorpus(corpus_version);
  CorpusStatus status{.corpus = corpus.name,
                      .corpus_version = corpus_version,
                      .budget_id = budget.budget_id(),
                      .state = StateOf(budget, corpus),
                      .policy = budget.policy(),
                      .spent = budget.spent(),
                      .releases_reserved = 0,
                      .releases_by_analyst = budget.ReleasesReserved(),
                      .overruns = budget.life().overruns,
                      .restarts = budget.life().restarts,
                      .voided = budget.life().voided,
                      .worst_protection = budget.life().Worst(),
                      .unacknowledged_overruns = corpus.unacknowledged(),
                      .events = budget.length(),
                      .head = budget.head(),
                      .signing_key = budget.signing_key(),
                      .sum = budget.sum(),
                      .restorations = budget.restorations(),
                      .after_restore = budget.opening().after_restore()};
  for (const auto& [name, own] : status.releases_by_analyst) status.releases_reserved += own;
  return status;
}

// Takes event and salt away unless the reader may see them: auditors all, analysts the
// custodian's acts and their own. An event that does not parse is seen by nobody.
void HideFromOthers(const Reader& reader, v1::LedgerEntry* entry) {
  v1::LedgerEvent event;
  if (event.ParseFromString(entry->event()) &&
      (reader.is_auditor || event.principal().empty() || event.principal() == reader.principal)) {
    return;
  }
  // Commitment and head stay: by them everybody can verify the whole chain.
  entry->clear_event();
  entry->clear_salt();
}

absl::StatusOr<const fold::BudgetState*> BudgetOf(const KeptState& state,
                                                  absl::string_view corpus_version) {
  const fold::BudgetState* budget = state.ledger.WithCorpus(std::string(corpus_version));
  if (budget != nullptr) return budget;
  return absl::NotFoundError("no budget is open for this corpus version.");
}

}  // namespace

// Questions copy what they need under the lock, and compute, sign and send without it.
absl::StatusOr<fold::BudgetState> FoldedLedger::StateOf(absl::string_view corpus_version) {
  TW_RETURN_IF_ERROR(RequireCurrent());
  absl::ReaderMutexLock lock(&state_mutex_);
  TW_ASSIGN_OR_RETURN(const BudgetState* budget, BudgetOf(state_, corpus_version));
  return *budget;
}

absl::Status FoldedLedger::ReadRelease(absl::string_view principal, absl::string_view plan_id,
                                       int iteration, ReleaseSink& sink) {
  TW_RETURN_IF_ERROR(RequireCurrent());
  const std::string id(plan_id);
  fold::Charge charge;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    const Place place = state_.Seek(id, iteration);
    if (place.plan == nullptr || place.plan->principal != principal) return fold::NoPlanOfYours();
    if (place.charge == nullptr) return absl::NotFoundError("the release cannot be read yet.");
    charge = *place.charge;
    TW_RETURN_IF_ERROR(state_.RequireWhole());
    // Voided, or without its key, which no backup has.
    if (charge.voided() || (charge.pending() && place.open == nullptr)) return fold::ReleaseLost();
    if (charge.pending()) return absl::NotFoundError("the release cannot be read yet.");
  }
  TW_RETURN_IF_ERROR(Noted());
  TW_ASSIGN_OR_RETURN(const bool here, IsHere(*store_, charge));
  if (!here) return fold::ReleaseLost();
  const std::string& release_sha256 = charge.published->release_sha256();
  absl::StatusOr<v1::StoredRelease> stored =
      ReadHeader(*store_, charge.published->header_sha256(), release_sha256);
  // All of it before the first byte goes out, as what was sent cannot be taken back.
  const absl::Status whole =
      CheckRelease(*store_, charge.published->header_sha256(), release_sha256);
  if (!whole.ok()) stored = whole;
  if (absl::IsDataLoss(stored.status()) && signing_key_.has_value()) {
    // The ledger has no clock; the release's own instant dates the event well enough. Of a frozen
    // budget every plan is paused already.
    const fold::PauseAct act{.plan_id = id, .iteration = iteration, .at_ms = charge.readable_at_ms};
    TW_RETURN_IF_ERROR(DecideAndCommit(
        "pause", [&](const fold::LedgerState& state) { return fold::Decide(state, act); }));
  }
  TW_RETURN_IF_ERROR(stored.status());
  v1::ReleaseHeader header = HeaderOf(id, charge, *stored);
  TW_ASSIGN_OR_RETURN(auto receipt, Sign(id, charge.sequence));
  if (receipt.has_value()) *header.mutable_charge_receipt() = *std::move(receipt);
  TW_ASSIGN_OR_RETURN(receipt, Sign(id, charge.published_sequence));
  if (receipt.has_value()) *header.mutable_release_receipt() = *std::move(receipt);

  TW_RETURN_IF_ERROR(sink.Header(std::move(header)));
  TOPICWALL_KILL_POINT("inside-reply");
  const int64_t entries = stored->rows() * stored->columns();
  // Read again and not kept since the check above, as releases are large. What changes in between
  // the client finds by the digest in the header.
  for (int64_t first = 0; first < entries; first += kEntriesPerChunk) {
    TW_ASSIGN_OR_RETURN(std::string chunk,
                        ReadChunk(*store_, release_sha256, first / kEntriesPerChunk));
    TW_RETURN_IF_ERROR(sink.Statistics(first, std::move(chunk)));
  }
  TOPICWALL_KILL_POINT("before-end-of-reply");
  return absl::OkStatus();
}

absl::StatusOr<int64_t> FoldedLedger::LastTimeMs() {
  TW_RETURN_IF_ERROR(RequireCurrent());
  absl::ReaderMutexLock lock(&state_mutex_);
  int64_t last_ms = 0;
  for (const BudgetState& budget : state_.ledger.budgets()) {
    last_ms = std::max(last_ms, budget.last_time_ms());
  }
  return last_ms;
}

absl::StatusOr<CorpusStatus> FoldedLedger::StatusOfCorpus(absl::string_view corpus_version) {
  TW_RETURN_IF_ERROR(RequireCurrent());
  CorpusStatus status{};
  status.corpus_version = std::string(corpus_version);
  status.state = v1::CORPUS_STATE_NO_BUDGET;
  // As a budget opened now would say of itself.
  status.after_restore = identity_.epoch > 1;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    const absl::StatusOr<const BudgetState*> budget = BudgetOf(state_, corpus_version);
    if (budget.ok()) status = CorpusStatusOf(**budget, status.corpus_version);
  }
  TW_RETURN_IF_ERROR(Noted());
  return status;
}

absl::StatusOr<std::vector<CorpusStatus>> FoldedLedger::Corpora() {
  TW_RETURN_IF_ERROR(RequireCurrent());
  std::vector<CorpusStatus> corpora;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    for (const BudgetState& budget : state_.ledger.budgets()) {
      std::map<int64_t, std::string> joined;  // in this order
      for (const auto& [version, corpus] : budget.corpora()) joined[corpus.sequence] = version;
      for (const auto& [at, version] : joined) corpora.push_back(CorpusStatusOf(budget, version));
    }
  }
  TW_RETURN_IF_ERROR(Noted());
  return corpora;
}

absl::StatusOr<v1::BudgetStatus> FoldedLedger::Budget(const BudgetQuery& query) {
  TW_RETURN_IF_ERROR(RequireCurrent());
  v1::BudgetStatus status;
  v1::HeadStatement head;
  std::optional<fold::Accounts> accounts;
  std::map<std::string, accountant::CostVector> analysts;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    TW_ASSIGN_OR_RETURN(const BudgetState* budget, BudgetOf(state_, query.corpus_version));
    status = StatusOf(*budget, *budget->FindCorpus(query.corpus_version));
    head = HeadOf(*budget);
    accounts = fold::AccountsOf(*budget, query.purse.principal);
    if (query.reader.is_auditor) analysts = budget->analysts();
  }
  TW_RETURN_IF_ERROR(Noted());
  const accountant::AdmissionPolicy& policy = accounts->policy;
  const double total = policy.budget().epsilon;
  const auto meter = std::make_shared<accountant::EpsilonMeter>(query.still_wanted);
  TW_ASSIGN_OR_RETURN(const double spent, meter->Of(policy, accounts->spent));
  status.set_epsilon_spent(spent);
  status.set_epsilon_left(std::max(0.0, total - spent));
  status.set_odometer_epsilon(policy.OdometerUpperBound(accounts->spent));
  if (signing_key_.has_value()) {
    TW_ASSIGN_OR_RETURN(*status.mutable_signed_head(), proto::SignHead(*signing_key_, head));
  }
  if (query.reference_plan.has_value()) {
    TW_ASSIGN_OR_RETURN(const int64_t most, fold::MostIterations({.plan = *query.reference_plan,
                                                                  .purse = query.purse,
                                                                  .accounts = *accounts,
                                                                  .meter = meter}));
    status.set_reference_iterations_left(most);
  }
  if (!query.reader.is_auditor) {
    TW_ASSIGN_OR_RETURN(const double own, meter->Of(policy, accounts->analyst_spent));
    *status.mutable_own() =
        PrincipalBudgetOf(query.reader.principal, query.purse.epsilon_cap.value_or(total), own);
  }
  for (const auto& [principal, own] : analysts) {
    const auto cap = query.epsilon_caps.find(principal);
    TW_ASSIGN_OR_RETURN(const double own_spent, meter->Of(policy, own));
    *status.add_principals() = PrincipalBudgetOf(
        principal, cap == query.epsilon_caps.end() ? total : cap->second, own_spent);
  }
  return status;
}

absl::Status FoldedLedger::ReadEvents(absl::string_view corpus_version, const Reader& reader,
                                      int64_t first_sequence,
                                      absl::FunctionRef<absl::Status(v1::LedgerEntry)> sink) {
  TW_RETURN_IF_ERROR(RequireCurrent());
  v1::HeadStatement head;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    TW_ASSIGN_OR_RETURN(const BudgetState* budget, BudgetOf(state_, corpus_version));
    head = HeadOf(*budget);
  }
  TW_RETURN_IF_ERROR(Noted());
  const auto tell = [&](v1::LedgerEntry entry) -> absl::Status {
    HideFromOthers(reader, &entry);
    // With the last alone, whose head stands for all before it.
    if (entry.sequence() == head.sequence() && signing_key_.has_value()) {
      TW_ASSIGN_OR_RETURN(*entry.mutable_signed_head(), proto::SignHead(*signing_key_, head));
    }
    return sink(std::move(entry));
  };
  return store::ReadEntriesSlowly(*store_, head.budget_id(), std::max<int64_t>(first_sequence, 1),
                                  head.sequence(), tell);
}

}  // namespace topicwall::ledger
