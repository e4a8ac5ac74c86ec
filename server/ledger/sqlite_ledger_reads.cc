// Reading what was released, and what it cost.
#include <algorithm>
#include <optional>
#include <utility>

#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_sums.h"
#include "server/ledger/head_signer.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/policy_record.h"
#include "server/ledger/receipt_signer.h"
#include "server/ledger/release_table.h"
#include "server/ledger/sqlite_ledger.h"
#include "server/ledger/sqlite_transaction.h"

namespace topicwall::ledger {
namespace {

constexpr int64_t kEventsPerRead = 256;

v1::ReleaseHeader HeaderOf(const ChargeRow& charge, const v1::StoredRelease& stored) {
  v1::ReleaseHeader header;
  header.set_plan_id(charge.plan_id);
  header.set_iteration(charge.iteration);
  header.set_request_digest(charge.request_digest);
  header.set_num_topics(stored.num_topics());
  header.set_vocabulary_size(stored.vocabulary_size());
  header.set_clip_norm(stored.clip_norm());
  header.set_kernel_name(stored.kernel_name());
  header.set_noise_standard_deviation(stored.noise_standard_deviation());
  *header.mutable_norm_histogram() = stored.norm_histogram();
  header.set_histogram_noise_standard_deviation(stored.histogram_noise_standard_deviation());
  header.set_statistics_sha256(stored.statistics_sha256());
  header.set_charged_at_ms(charge.charged_at_ms);
  header.set_readable_at_ms(charge.readable_at_ms);
  return header;
}

v1::CorpusState StateOf(const OpenCorpus& open) {
  if (open.budget.frozen()) return v1::CORPUS_STATE_FROZEN;
  return open.corpus.paused() ? v1::CORPUS_STATE_PAUSED : v1::CORPUS_STATE_OPEN;
}

v1::PrincipalBudget PrincipalBudgetOf(absl::string_view principal, double cap,
                                      const accountant::AdmissionPolicy& policy,
                                      const accountant::CostVector& spent) {
  v1::PrincipalBudget budget;
  budget.set_principal(std::string(principal));
  budget.set_epsilon_cap(cap);
  budget.set_epsilon_spent(policy.EpsilonUpperBound(spent));
  return budget;
}

v1::BudgetStatus StatusOf(const OpenCorpus& open, const accountant::AdmissionPolicy& policy) {
  v1::BudgetStatus status;
  const accountant::PrivacyParams& total = policy.budget();
  const double spent = policy.EpsilonUpperBound(open.budget.spent);
  status.set_corpus(open.corpus.corpus);
  SetPolicy(RecordOf(policy.spec()), &status);
  status.set_epsilon_total(total.epsilon);
  status.set_epsilon_spent(spent);
  status.set_epsilon_left(std::max(0.0, total.epsilon - spent));
  status.set_delta(total.delta);
  status.set_odometer_epsilon(policy.OdometerUpperBound(open.budget.spent));
  status.mutable_spent()->Assign(open.budget.spent.begin(), open.budget.spent.end());
  status.set_events(open.budget.events);
  status.set_chain_head(open.budget.head);
  status.set_state(StateOf(open));
  return status;
}

}  // namespace

absl::Status SqliteLedger::ReadRelease(absl::string_view principal, absl::string_view plan_id,
                                       int iteration, ReleaseSink& sink) {
  std::optional<ChargeRow> charge;
  absl::StatusOr<v1::StoredRelease> stored;
  v1::ReleaseHeader header;
  {
    absl::MutexLock lock(&mutex_);
    TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
    TW_RETURN_IF_ERROR(FindOwnPlan(connection_, principal, plan_id).status());
    TW_ASSIGN_OR_RETURN(charge, FindCharge(connection_, plan_id, iteration));
    if (charge.has_value() &&
        (charge->state == ChargeState::kLost || charge->state == ChargeState::kVoided)) {
      return ReleaseLost();
    }
    if (!charge.has_value() || charge->state != ChargeState::kPublished) {
      return absl::NotFoundError("the release cannot be read yet.");
    }
    stored = ReadHeader(connection_, *charge);
    if (const absl::Status whole = CheckRelease(connection_, *charge); !whole.ok()) stored = whole;
    if (stored.ok()) {
      header = HeaderOf(*charge, *stored);
      TW_RETURN_IF_ERROR(AddReceipts(connection_, signing_key_, &header));
    }
  }
  if (absl::IsDataLoss(stored.status())) {
    TW_RETURN_IF_ERROR(PauseAfterDamage(plan_id, *charge));
  }
  if (!stored.ok()) return stored.status();

  // A published release never changes, so no lock is held while a slow reader takes it.
  TW_RETURN_IF_ERROR(sink.Header(header));
  TOPICWALL_KILL_POINT("inside-reply");
  const int64_t entries = int64_t{stored->num_topics()} * stored->vocabulary_size();
  for (int64_t first = 0; first < entries; first += kEntriesPerChunk) {
    std::string chunk;
    {
      absl::MutexLock lock(&mutex_);
      TW_ASSIGN_OR_RETURN(chunk, ReadChunk(connection_, charge->charge_id, first));
    }
    TW_RETURN_IF_ERROR(sink.Statistics(first, chunk));
  }
  TOPICWALL_KILL_POINT("before-end-of-reply");
  return absl::OkStatus();
}

absl::Status SqliteLedger::PauseAfterDamage(absl::string_view plan_id, const ChargeRow& charge) {
  absl::MutexLock lock(&mutex_);
  if (connection_.read_only()) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(std::optional<PlanRow> plan, FindPlan(connection_, plan_id));
  if (!plan.has_value()) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const OpenCorpus open, FindWithBudget(connection_, plan->corpus_version));
  if (open.budget.frozen()) return absl::OkStatus();  // every plan is paused already
  // The ledger has no clock; the release's own instant dates the event well enough.
  TW_RETURN_IF_ERROR(PausePlan(*std::move(plan), charge.iteration, charge.readable_at_ms));
  return transaction.Commit();
}

absl::StatusOr<int64_t> SqliteLedger::LastTimeMs() {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(const std::vector<BudgetRow> budgets, AllBudgets(connection_));
  int64_t last_ms = 0;
  for (const BudgetRow& budget : budgets) {
    TW_ASSIGN_OR_RETURN(const int64_t time_ms, TimeOfLastEvent(connection_, budget));
    last_ms = std::max(last_ms, time_ms);
  }
  return last_ms;
}

absl::StatusOr<v1::BudgetStatus> SqliteLedger::Budget(const BudgetQuery& query) {
  std::optional<OpenCorpus> open;
  std::optional<Accounts> accounts;
  std::vector<PrincipalSpending> analysts;
  v1::BudgetSum sum;
  std::optional<v1::SignedHead> signed_head;
  {
    absl::MutexLock lock(&mutex_);
    TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
    TW_ASSIGN_OR_RETURN(const CorpusRow corpus, FindCorpus(connection_, query.corpus_version));
    TW_ASSIGN_OR_RETURN(open, FindWithBudget(connection_, corpus.corpus_version));
    TW_ASSIGN_OR_RETURN(accounts, AccountsOf(*open, query.purse.principal));
    if (query.reader.is_auditor) {
      TW_ASSIGN_OR_RETURN(analysts, AllAnalystsSpent(connection_, open->budget));
    }
    TW_ASSIGN_OR_RETURN(sum, SumOf(connection_, open->budget.budget_id));
    if (signing_key_.has_value()) {
      TW_ASSIGN_OR_RETURN(signed_head, SignHead(connection_, *signing_key_, open->budget));
    }
  }
  const accountant::AdmissionPolicy& policy = accounts->policy;
  const double total = policy.budget().epsilon;
  v1::BudgetStatus status = StatusOf(*open, policy);
  *status.mutable_sum() = std::move(sum);
  if (signed_head.has_value()) *status.mutable_signed_head() = *std::move(signed_head);
  if (query.reference_plan.has_value()) {
    TW_ASSIGN_OR_RETURN(const int64_t most, MostIterations({.plan = *query.reference_plan,
                                                            .purse = query.purse,
                                                            .accounts = *accounts}));
    status.set_reference_iterations_left(most);
  }
  if (!query.reader.is_auditor) {
    *status.mutable_own() =
        PrincipalBudgetOf(query.reader.principal, query.purse.epsilon_cap.value_or(total), policy,
                          accounts->analyst_spent);
  }
  for (const auto& [principal, spent] : analysts) {
    const auto cap = query.epsilon_caps.find(principal);
    *status.add_principals() = PrincipalBudgetOf(
        principal, cap == query.epsilon_caps.end() ? total : cap->second, policy, spent);
  }
  return status;
}

absl::Status SqliteLedger::ReadEvents(
    absl::string_view corpus_version, const Reader& reader, int64_t first_sequence,
    absl::FunctionRef<absl::Status(const v1::LedgerEntry&)> sink) {
  std::string budget_id;
  int64_t end = 0;
  std::optional<v1::SignedHead> signed_head;
  {
    absl::MutexLock lock(&mutex_);
    TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
    TW_ASSIGN_OR_RETURN(const CorpusRow corpus, FindCorpus(connection_, corpus_version));
    TW_ASSIGN_OR_RETURN(const BudgetRow budget, FindBudget(connection_, corpus.budget_id));
    budget_id = budget.budget_id;
    end = budget.events;
    if (signing_key_.has_value()) {
      TW_ASSIGN_OR_RETURN(signed_head, SignHead(connection_, *signing_key_, budget));
    }
  }
  // Events never change, so no lock is held while a slow reader takes them.
  for (int64_t next = std::max<int64_t>(first_sequence, 1); next <= end;) {
    std::vector<v1::LedgerEntry> entries;
    {
      absl::MutexLock lock(&mutex_);
      TW_ASSIGN_OR_RETURN(entries, ReadEntries(connection_, budget_id, next,
                                               std::min(kEventsPerRead, end - next + 1)));
    }
    if (entries.empty()) return absl::DataLossError("the ledger has lost events.");
    for (v1::LedgerEntry& entry : entries) {
      HideFromOthers(reader.principal, reader.is_auditor, &entry);
      if (entry.sequence() == end && signed_head.has_value()) {
        *entry.mutable_signed_head() = *signed_head;
      }
      TW_RETURN_IF_ERROR(sink(entry));
    }
    next += static_cast<int64_t>(entries.size());
  }
  return absl::OkStatus();
}

}  // namespace topicwall::ledger
