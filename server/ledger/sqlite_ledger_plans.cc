// Plans: pricing, reserving, cancelling, showing.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "proto/plan_model.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/plan_limits.h"
#include "server/ledger/receipt_signer.h"
#include "server/ledger/sqlite_ledger.h"
#include "server/ledger/sqlite_transaction.h"

namespace topicwall::ledger {
namespace {

// A page ends with the plan that reaches this.
constexpr size_t kBytesOfPage = size_t{1} << 19;

absl::Status CheckPageSize(int page_size) {
  if (page_size >= 0 && page_size <= kMaxPlansPerPage) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("page_size must be in [0, ", kMaxPlansPerPage, "]; got ", page_size, "."));
}

// The name must belong to the version: events, caps and access are by name.
absl::Status CheckCorpusName(const CorpusRow& corpus, const v1::PlanSpec& plan) {
  if (corpus.corpus == plan.corpus()) return absl::OkStatus();
  return absl::InvalidArgumentError("corpus_version must be a version of corpus.");
}

absl::Status CheckRequest(const ReserveRequest& request) {
  if (request.purse.principal.empty()) {
    return absl::InvalidArgumentError("principal must not be empty.");
  }
  if (request.request_id.size() == kRequestIdSize) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("request_id must be ", kRequestIdSize,
                                                 " bytes; got ", request.request_id.size(), "."));
}

v1::LedgerEvent ReservedEvent(const ReserveRequest& request, const PlanRow& row,
                              double witness_order) {
  v1::LedgerEvent event;
  event.set_time_ms(request.now_ms);
  event.set_principal(row.principal);
  v1::PlanReserved* act = event.mutable_plan_reserved();
  act->set_plan_id(row.plan_id);
  act->set_corpus(request.plan.corpus());
  act->set_corpus_version(row.corpus_version);
  act->set_sampling_rate(request.plan.sampling_rate());
  act->set_noise_multiplier(request.plan.noise_multiplier());
  if (request.plan.has_histogram_noise_multiplier()) {
    act->set_histogram_noise_multiplier(request.plan.histogram_noise_multiplier());
  }
  act->set_iterations(row.iterations);
  act->set_max_words(request.plan.max_words());
  act->set_num_topics(proto::ModelOf(request.plan).num_topics);
  act->set_held_out_share(request.plan.held_out_share());
  act->set_document_completion(request.plan.has_document_completion());
  act->set_plan_sha256(base::DigestBytes(base::Sha256Of(row.spec)));
  act->set_witness_order(witness_order);
  act->mutable_cost()->Assign(row.cost.begin(), row.cost.end());
  return event;
}

}  // namespace

absl::StatusOr<Accounts> SqliteLedger::AccountsOf(const OpenCorpus& open,
                                                  absl::string_view principal) {
  TW_ASSIGN_OR_RETURN(accountant::AdmissionPolicy policy, open.budget.Policy());
  TW_ASSIGN_OR_RETURN(accountant::CostVector own,
                      AnalystSpent(connection_, open.budget, principal));
  TW_ASSIGN_OR_RETURN(const auto releases, ReleasesReserved(connection_, open.budget.budget_id));
  Accounts accounts{.policy = std::move(policy),
                    .spent = open.budget.spent,
                    .analyst_spent = std::move(own),
                    .releases_reserved = 0};
  for (const auto& [analyst, reserved] : releases) {
    accounts.releases_reserved += reserved;
    if (analyst == principal) accounts.own_releases_reserved = reserved;
  }
  return accounts;
}

absl::StatusOr<v1::PlanState> SqliteLedger::Reserve(const ReserveRequest& request) {
  TW_RETURN_IF_ERROR(CheckRequest(request));
  TW_ASSIGN_OR_RETURN(auto outcome, TryToReserve(request));
  if (auto* plan = std::get_if<v1::PlanState>(&outcome)) return *std::move(plan);
  // The transaction is over and changed nothing; saying what would have fitted may take long.
  const RefusedPlan& refused = std::get<RefusedPlan>(outcome);
  const absl::Status refusal = RefusalOf(
      {.plan = request.plan, .purse = request.purse, .accounts = refused.accounts}, refused.by);
  return refusal.ok() ? absl::InternalError("a plan was refused by nothing.") : refusal;
}

absl::StatusOr<std::variant<v1::PlanState, RefusedPlan>> SqliteLedger::TryToReserve(
    const ReserveRequest& request) {
  using Outcome = std::variant<v1::PlanState, RefusedPlan>;
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(const std::optional<PlanRow> before,
                      FindPlanByRequest(connection_, request.purse.principal, request.request_id));
  if (before.has_value()) {
    if (before->spec != BytesOfPlan(request.plan)) {
      return absl::AlreadyExistsError("another plan was reserved under this request_id.");
    }
    TW_ASSIGN_OR_RETURN(v1::PlanState plan, ToPlanState(connection_, *before));
    TW_RETURN_IF_ERROR(AddReceipts(connection_, signing_key_, &plan));
    return Outcome(std::move(plan));
  }
  TW_ASSIGN_OR_RETURN(const OpenCorpus open,
                      FindWithBudget(connection_, request.plan.corpus_version()));
  TW_RETURN_IF_ERROR(CheckCorpusName(open.corpus, request.plan));
  TW_RETURN_IF_ERROR(RequireOpen(open));
  TW_RETURN_IF_ERROR(
      RequireRoomForPlan(connection_, open.budget.budget_id, request.purse, request.now_ms));
  TW_ASSIGN_OR_RETURN(Accounts accounts, AccountsOf(open, request.purse.principal));
  TW_ASSIGN_OR_RETURN(
      const Verdict verdict,
      JudgePlan({.plan = request.plan, .purse = request.purse, .accounts = accounts}));
  if (verdict.refused_by != Limit::kNone) {
    return Outcome(RefusedPlan{.accounts = std::move(accounts), .by = verdict.refused_by});
  }
  TW_ASSIGN_OR_RETURN(v1::PlanState plan, AddPlan(request, open, verdict));
  TOPICWALL_KILL_POINT("before-reserve-commit");
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT("after-reserve-commit");
  return Outcome(std::move(plan));
}

absl::StatusOr<v1::PlanState> SqliteLedger::AddPlan(const ReserveRequest& request,
                                                    const OpenCorpus& open,
                                                    const Verdict& verdict) {
  TW_ASSIGN_OR_RETURN(const std::string plan_id, RandomId());
  const PlanRow row{.plan_id = plan_id,
                    .corpus_version = open.corpus.corpus_version,
                    .principal = request.purse.principal,
                    .request_id = request.request_id,
                    .spec = BytesOfPlan(request.plan),
                    .cost = verdict.set_aside.cost,
                    .reserved_at_ms = request.now_ms,
                    .state = v1::PlanState::ACTIVE,
                    .iterations = request.plan.iterations(),
                    .reserved_iterations = request.plan.iterations(),
                    .refundable = true};
  const std::string& budget_id = open.budget.budget_id;
  TW_RETURN_IF_ERROR(InsertPlan(connection_, row));
  TW_RETURN_IF_ERROR(SetSpent(connection_, budget_id, verdict.spent_after));
  TW_RETURN_IF_ERROR(
      SetAnalystSpent(connection_, budget_id, row.principal, verdict.analyst_spent_after));
  TW_RETURN_IF_ERROR(
      AppendEvent(connection_, budget_id, ReservedEvent(request, row, verdict.witness_order)));
  TW_ASSIGN_OR_RETURN(v1::PlanState plan, ToPlanState(connection_, row));
  TW_RETURN_IF_ERROR(AddReceipts(connection_, signing_key_, &plan));
  return plan;
}

absl::StatusOr<PlanQuote> SqliteLedger::Price(const Purse& purse, const v1::PlanSpec& plan) {
  std::optional<Accounts> accounts;
  {
    absl::MutexLock lock(&mutex_);
    TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
    TW_ASSIGN_OR_RETURN(const OpenCorpus open, FindWithBudget(connection_, plan.corpus_version()));
    TW_RETURN_IF_ERROR(CheckCorpusName(open.corpus, plan));
    TW_RETURN_IF_ERROR(RequireThawed(open.budget));
    TW_ASSIGN_OR_RETURN(accounts, AccountsOf(open, purse.principal));
  }
  return QuotePlan({.plan = plan, .purse = purse, .accounts = *accounts});
}

absl::StatusOr<v1::PlanState> SqliteLedger::Cancel(absl::string_view principal,
                                                   absl::string_view plan_id, int64_t now_ms) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(PlanRow row, FindOwnPlan(connection_, principal, plan_id));
  TW_ASSIGN_OR_RETURN(v1::PlanState plan, CancelRow(std::move(row), now_ms));
  TOPICWALL_KILL_POINT("before-cancel-commit");
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT("after-cancel-commit");
  return plan;
}

absl::StatusOr<v1::PlanState> SqliteLedger::CancelAnyPlan(absl::string_view plan_id,
                                                          int64_t now_ms) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(std::optional<PlanRow> row, FindPlan(connection_, plan_id));
  if (!row.has_value()) return absl::NotFoundError("no plan with this plan_id.");
  TW_ASSIGN_OR_RETURN(v1::PlanState plan, CancelRow(*std::move(row), now_ms));
  TW_RETURN_IF_ERROR(transaction.Commit());
  return plan;
}

absl::Status SqliteLedger::CancelExpired(absl::string_view corpus_version, int reservation_days,
                                         int64_t now_ms) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(const std::vector<PlanRow> seen,
                      ExpiredPlans(connection_, corpus_version, reservation_days, now_ms));
  if (seen.empty()) return absl::OkStatus();  // nearly always, and then nothing is written
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(const OpenCorpus open, FindWithBudget(connection_, corpus_version));
  if (open.budget.frozen()) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(std::vector<PlanRow> plans,
                      ExpiredPlans(connection_, corpus_version, reservation_days, now_ms));
  for (PlanRow& plan : plans) {
    plan.expired = true;
    TW_RETURN_IF_ERROR(CancelRow(std::move(plan), now_ms).status());
  }
  TOPICWALL_KILL_POINT("before-expiry-commit");
  return transaction.Commit();
}

absl::StatusOr<v1::PlanState> SqliteLedger::CancelRow(PlanRow plan, int64_t now_ms) {
  if (plan.state == v1::PlanState::CANCELLED) {
    TW_ASSIGN_OR_RETURN(v1::PlanState as_it_is, ToPlanState(connection_, plan));
    TW_RETURN_IF_ERROR(AddReceipts(connection_, signing_key_, &as_it_is));
    return as_it_is;
  }
  TW_ASSIGN_OR_RETURN(const OpenCorpus open, FindWithBudget(connection_, plan.corpus_version));
  TW_RETURN_IF_ERROR(RequireThawed(open.budget));
  TW_ASSIGN_OR_RETURN(const std::vector<ChargeRow> charges, ChargesOf(connection_, plan.plan_id));
  const int returned = plan.refundable ? plan.iterations - static_cast<int>(charges.size()) : 0;

  const int used = plan.iterations - returned;
  TW_ASSIGN_OR_RETURN(const accountant::AdmissionPolicy policy, open.budget.Policy());
  TW_ASSIGN_OR_RETURN(const accountant::CostVector spent,
                      policy.Refund(open.budget.spent, plan.SetAside(), used));
  TW_ASSIGN_OR_RETURN(const accountant::CostVector own_before,
                      AnalystSpent(connection_, open.budget, plan.principal));
  TW_ASSIGN_OR_RETURN(const accountant::CostVector own,
                      policy.Refund(own_before, plan.SetAside(), used));
  TW_RETURN_IF_ERROR(SetSpent(connection_, open.budget.budget_id, spent));
  TW_RETURN_IF_ERROR(SetAnalystSpent(connection_, open.budget.budget_id, plan.principal, own));
  plan.state = v1::PlanState::CANCELLED;
  plan.reserved_iterations -= returned;
  TW_RETURN_IF_ERROR(UpdatePlan(connection_, plan));

  // The analyst's entry even if the custodian cancels: others need not see whose plan it was.
  v1::LedgerEvent event;
  event.set_time_ms(now_ms);
  event.set_principal(plan.principal);
  event.mutable_plan_cancelled()->set_plan_id(plan.plan_id);
  event.mutable_plan_cancelled()->set_iterations_returned(returned);
  event.mutable_plan_cancelled()->set_expired(plan.expired);
  TW_RETURN_IF_ERROR(AppendEvent(connection_, open.budget.budget_id, std::move(event)));
  TW_ASSIGN_OR_RETURN(v1::PlanState cancelled, ToPlanState(connection_, plan));
  TW_RETURN_IF_ERROR(AddReceipts(connection_, signing_key_, &cancelled));
  return cancelled;
}

absl::StatusOr<v1::PlanState> SqliteLedger::GetPlan(absl::string_view principal,
                                                    absl::string_view plan_id) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(const PlanRow row, FindOwnPlan(connection_, principal, plan_id));
  TW_ASSIGN_OR_RETURN(v1::PlanState plan, ToPlanState(connection_, row));
  TW_RETURN_IF_ERROR(AddReceipts(connection_, signing_key_, &plan));
  return plan;
}

absl::StatusOr<PlanPage> SqliteLedger::ListPlans(const PlanQuery& query) {
  TW_RETURN_IF_ERROR(CheckPageSize(query.page_size));
  const int64_t limit = query.page_size == 0 ? kMaxPlansPerPage : query.page_size;
  PlanPage page;
  if (query.principal.empty()) return page;
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
  if (!query.page_token.empty() &&
      !FindOwnPlan(connection_, query.principal, query.page_token).ok()) {
    return absl::InvalidArgumentError("page_token must be a next_page_token of such a list.");
  }
  TW_ASSIGN_OR_RETURN(const std::vector<PlanRow> rows,
                      PlansInRange(connection_, {.principal = query.principal,
                                                 .corpus = query.corpus,
                                                 .after = query.page_token,
                                                 .limit = limit + 1}));
  size_t bytes = 0;
  for (const PlanRow& row : rows) {
    const bool full = static_cast<int64_t>(page.plans.size()) == limit || bytes >= kBytesOfPage;
    if (full) {
      page.next_page_token = page.plans.back().plan_id();
      break;
    }
    TW_ASSIGN_OR_RETURN(v1::PlanState plan, ToPlanState(connection_, row));
    plan.mutable_plan()->clear_term_weights();
    bytes += plan.ByteSizeLong();
    page.plans.push_back(std::move(plan));
  }
  return page;
}

}  // namespace topicwall::ledger
