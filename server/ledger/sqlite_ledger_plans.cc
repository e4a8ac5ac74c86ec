// Plans: pricing, reserving, cancelling, showing.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/sha256.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/sqlite_ledger.h"

namespace topicwall::ledger {
namespace {

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

// The budget's own refusal first: it carries what would fit.
absl::Status RefusalOf(const Verdict& verdict) {
  if (verdict.refusal.has_value()) return BudgetExhausted(*verdict.refusal);
  if (verdict.quote.fits) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("iterations must be at most the releases left of this corpus; ",
                   verdict.releases_left, " are left (limit max_releases)."));
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
  act->set_num_topics(request.plan.lda().num_topics());
  act->set_plan_sha256(proto::DigestBytes(proto::Sha256Of(row.spec)));
  act->set_witness_order(witness_order);
  act->mutable_cost()->Assign(row.cost.begin(), row.cost.end());
  return event;
}

}  // namespace

absl::StatusOr<Accounts> SqliteLedger::AccountsOf(const OpenCorpus& open,
                                                  absl::string_view principal) {
  TW_ASSIGN_OR_RETURN(accountant::BudgetFilter filter, open.budget.Filter());
  TW_ASSIGN_OR_RETURN(accountant::CostVector own,
                      AnalystSpent(connection_, open.budget, principal));
  TW_ASSIGN_OR_RETURN(const int64_t reserved,
                      ReleasesReserved(connection_, open.corpus.corpus_version));
  return Accounts{.filter = std::move(filter),
                  .spent = open.budget.spent,
                  .analyst_spent = std::move(own),
                  .releases_reserved = reserved};
}

absl::StatusOr<v1::PlanState> SqliteLedger::Reserve(const ReserveRequest& request) {
  TW_RETURN_IF_ERROR(CheckRequest(request));
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(const std::optional<PlanRow> before,
                      FindPlanByRequest(connection_, request.purse.principal, request.request_id));
  if (before.has_value()) {
    if (before->spec == BytesOfPlan(request.plan)) return ToPlanState(connection_, *before);
    return absl::AlreadyExistsError("another plan was reserved under this request_id.");
  }
  TW_ASSIGN_OR_RETURN(const OpenCorpus open,
                      FindWithBudget(connection_, request.plan.corpus_version()));
  TW_RETURN_IF_ERROR(CheckCorpusName(open.corpus, request.plan));
  TW_RETURN_IF_ERROR(RequireOpen(open));
  TW_ASSIGN_OR_RETURN(const Accounts accounts, AccountsOf(open, request.purse.principal));
  TW_ASSIGN_OR_RETURN(const Verdict verdict, JudgePlan(request.plan, request.purse, accounts));
  TW_RETURN_IF_ERROR(RefusalOf(verdict));
  TW_ASSIGN_OR_RETURN(v1::PlanState plan, AddPlan(request, open, verdict));
  TOPICWALL_KILL_POINT("before-reserve-commit");
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT("after-reserve-commit");
  return plan;
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
                    .cost = verdict.cost,
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
  return ToPlanState(connection_, row);
}

absl::StatusOr<PlanQuote> SqliteLedger::Price(const Purse& purse, const v1::PlanSpec& plan) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(const OpenCorpus open, FindWithBudget(connection_, plan.corpus_version()));
  TW_RETURN_IF_ERROR(CheckCorpusName(open.corpus, plan));
  TW_RETURN_IF_ERROR(RequireThawed(open.budget));
  TW_ASSIGN_OR_RETURN(const Accounts accounts, AccountsOf(open, purse.principal));
  TW_ASSIGN_OR_RETURN(const Verdict verdict, JudgePlan(plan, purse, accounts));
  return verdict.quote;
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

absl::StatusOr<v1::PlanState> SqliteLedger::CancelRow(PlanRow plan, int64_t now_ms) {
  if (plan.state == v1::PlanState::CANCELLED) return ToPlanState(connection_, plan);
  TW_ASSIGN_OR_RETURN(const OpenCorpus open, FindWithBudget(connection_, plan.corpus_version));
  TW_RETURN_IF_ERROR(RequireThawed(open.budget));
  TW_ASSIGN_OR_RETURN(const std::vector<ChargeRow> charges, ChargesOf(connection_, plan.plan_id));
  const int returned = plan.refundable ? plan.iterations - static_cast<int>(charges.size()) : 0;

  TW_ASSIGN_OR_RETURN(const accountant::BudgetFilter filter, open.budget.Filter());
  TW_ASSIGN_OR_RETURN(const accountant::CostVector spent,
                      filter.Refund(open.budget.spent, plan.cost, returned));
  TW_ASSIGN_OR_RETURN(const accountant::CostVector own_before,
                      AnalystSpent(connection_, open.budget, plan.principal));
  TW_ASSIGN_OR_RETURN(const accountant::CostVector own,
                      filter.Refund(own_before, plan.cost, returned));
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
  TW_RETURN_IF_ERROR(AppendEvent(connection_, open.budget.budget_id, std::move(event)));
  return ToPlanState(connection_, plan);
}

absl::StatusOr<v1::PlanState> SqliteLedger::GetPlan(absl::string_view principal,
                                                    absl::string_view plan_id) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(const PlanRow row, FindOwnPlan(connection_, principal, plan_id));
  return ToPlanState(connection_, row);
}

absl::StatusOr<std::vector<v1::PlanState>> SqliteLedger::ListPlans(absl::string_view principal,
                                                                   absl::string_view corpus) {
  std::vector<v1::PlanState> plans;
  if (principal.empty()) return plans;
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(connection_));
  TW_ASSIGN_OR_RETURN(const std::vector<PlanRow> rows, PlansOf(connection_, principal));
  for (const PlanRow& row : rows) {
    TW_ASSIGN_OR_RETURN(v1::PlanState plan, ToPlanState(connection_, row));
    if (corpus.empty() || corpus == plan.plan().corpus()) plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace topicwall::ledger
