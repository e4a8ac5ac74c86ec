// Plans: pricing, reserving, cancelling, showing. Whether one fits is counted in integers under the
// lock; what takes compositions is worked out from copied accounts, without it.
#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/plan_acts.h"
#include "base/status_macros.h"
#include "proto/release_spec.h"
#include "server/ledger/folded/folded_ledger.h"
#include "server/ledger/folded/ledger_identity.h"
#include "server/ledger/folded/receipt_signer.h"
#include "server/ledger/folded/release_blobs.h"
#include "server/ledger/plan_spec.h"

namespace topicwall::ledger {
namespace {

namespace fold = accountant::ledger;

// A page ends with the plan that reaches this.
constexpr size_t kBytesOfPage = size_t{1} << 19;

absl::Status CheckPageSize(int page_size) {
  if (page_size >= 0 && page_size <= kMaxPlansPerPage) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("page_size must be in [0, ", kMaxPlansPerPage, "]; got ", page_size, "."));
}

absl::Status CheckRequest(const ReserveRequest& request) {
  if (request.purse.principal.empty()) {
    return absl::InvalidArgumentError("principal must not be empty.");
  }
  if (request.request_id.size() == kRequestIdSize) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("request_id must be ", kRequestIdSize,
                                                 " bytes; got ", request.request_id.size(), "."));
}

// One of a principal's plans, with what orders them: when it was reserved, whatever its budget.
using Place = std::tuple<int64_t, std::size_t, int64_t>;
struct Listed {
  Place place;
  const fold::Plan* plan;
  const fold::BudgetState* budget;
};

std::vector<Listed> PlansOf(const fold::LedgerState& state, const std::string& principal) {
  std::vector<Listed> plans;
  for (std::size_t i = 0; i < state.budgets().size(); ++i) {
    const fold::BudgetState& budget = state.budgets()[i];
    for (const auto& [id, plan] : budget.plans()) {
      if (plan.principal != principal) continue;
      plans.push_back({Place(plan.reserved_at_ms, i, plan.sequence), &plan, &budget});
    }
  }
  std::sort(plans.begin(), plans.end(),
            [](const Listed& a, const Listed& b) { return a.place < b.place; });
  return plans;
}

// The plan under the request's id, if any. Asked under acts_mutex_: sent twice at once, it is one.
absl::StatusOr<std::optional<std::string>> FindRequested(
    const ReserveRequest& request, const std::optional<store::PlanRecord>& record,
    const KeptState& state) {
  if (!record.has_value()) return std::nullopt;
  const fold::Plan* plan = state.Seek(record->plan_id, 0).plan;
  // The row has no seal; whose plan it is the chain says.
  if (plan == nullptr || plan->principal != request.purse.principal) {
    return absl::DataLossError("the ledger's plans differ from its events.");
  }
  if (proto::SameSpec(plan->terms.spec(), proto::RecordOf(request.plan))) return record->plan_id;
  return absl::AlreadyExistsError("another plan was reserved under this request_id.");
}

// What is seen of a plan, but for its spec and its receipts.
absl::StatusOr<v1::PlanState> Shown(const KeptState& state, const fold::BudgetState& budget,
                                    const fold::Plan& plan, store::EventStore& store) {
  TW_RETURN_IF_ERROR(state.RequireWhole());
  v1::PlanState shown;
  shown.set_plan_id(plan.terms.plan_id());
  shown.set_principal(plan.principal);
  shown.set_state(plan.state);
  shown.set_reserved_at_ms(plan.reserved_at_ms);
  shown.set_expired(plan.expired);
  for (const auto& [number, charge] : plan.charges) {
    v1::IterationState* iteration = shown.add_iterations();
    iteration->set_iteration(number);
    iteration->set_charged_at_ms(charge.charged_at_ms);
    iteration->set_request_digest(charge.terms.request_digest());
    bool readable = false;
    if (charge.published.has_value()) {
      TW_ASSIGN_OR_RETURN(readable, IsHere(store, charge));
    }
    const bool pending =
        charge.pending() && state.open.count({budget.budget_id(), charge.sequence}) != 0;
    // Pending without a row, as in a backup: without its key it can never be computed.
    iteration->set_voided(!readable && !pending);
    if (!readable) continue;
    iteration->set_readable(true);
    iteration->set_readable_at_ms(charge.readable_at_ms);
    iteration->set_release_sha256(charge.published->release_sha256());
  }
  return shown;
}

}  // namespace

// Composes between the acts alone: each counts whether what was weighed is still what the plan
// would come to. Its id is drawn between two looks at the state, so that the generator is not
// waited for under its lock; acts_mutex_ keeps the state as it was.
absl::StatusOr<v1::PlanState> FoldedLedger::Reserve(const ReserveRequest& request) {
  TW_RETURN_IF_ERROR(RequireWritable());
  TW_RETURN_IF_ERROR(CheckRequest(request));
  fold::ReserveAct act{
      .purse = request.purse, .plan = request.plan, .plan_id = "", .now_ms = request.now_ms};
  fold::ReserveDecision decision;
  const auto by_counting = [&]() -> absl::Status {
    absl::MutexLock one_at_a_time(&acts_mutex_);
    // Before the events are read, so that those have what this has.
    TW_ASSIGN_OR_RETURN(const std::optional<store::PlanRecord> record,
                        store_->FindPlanByRequest(request.purse.principal, request.request_id));
    TW_RETURN_IF_ERROR(Follow());
    decision = {};  // of the try before, if there was one (UntilFirst), nothing counts
    {
      absl::ReaderMutexLock lock(&state_mutex_);
      TW_ASSIGN_OR_RETURN(const std::optional<std::string> before,
                          FindRequested(request, record, state_));
      act.plan_id = before.value_or("");
    }
    if (!act.plan_id.empty()) return absl::OkStatus();
    TW_RETURN_IF_ERROR(request.validity);
    TW_ASSIGN_OR_RETURN(act.plan_id, RandomId());
    {
      absl::ReaderMutexLock lock(&state_mutex_);
      TW_ASSIGN_OR_RETURN(decision, fold::Decide(state_.ledger, act));
    }
    if (decision.refused_by != fold::Limit::kNone) return absl::OkStatus();
    store::Change change{.name = "reserve"};
    change.plan = store::PlanRecord{.plan_id = act.plan_id,
                                    .principal = request.purse.principal,
                                    .request_id = request.request_id};
    AddWeights(request.plan, &change);
    return Commit(decision.events, std::move(change));
  };
  const auto meter = std::make_shared<accountant::EpsilonMeter>(request.still_wanted);
  constexpr int kMostWeighings = 8;  // what a plan would draw changes by everybody's acts
  for (int weighings = 0; weighings <= kMostWeighings; ++weighings) {
    TW_RETURN_IF_ERROR(Act<absl::Status>(by_counting));
    if (decision.refused_by == fold::Limit::kNone) return Show(act.plan_id);
    const fold::PlanRequest asked{request.plan, request.purse, *decision.accounts, meter};
    if (decision.refused_by != fold::Limit::kCapNotWeighed) {
      return fold::RefusalOf(asked, decision.refused_by);
    }
    TW_ASSIGN_OR_RETURN(act.weighed, fold::WeighCap(asked));
  }
  return absl::UnavailableError(
      "while it was worked out whether the plan is within your cap, what it would draw changed; "
      "nothing was changed: send the same request again.");
}

absl::StatusOr<v1::PlanPrice> FoldedLedger::Price(const Purse& purse, const v1::ReleaseSpec& plan,
                                                  const accountant::StillWanted& still_wanted) {
  TW_RETURN_IF_ERROR(RequireCurrent());
  std::optional<fold::Accounts> accounts;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    TW_ASSIGN_OR_RETURN(const BudgetState* budget, fold::BudgetFor(state_.ledger, plan));
    TW_RETURN_IF_ERROR(fold::RequireThawed(*budget));
    accounts = fold::AccountsOf(*budget, purse.principal);
  }
  TW_RETURN_IF_ERROR(Noted());
  return fold::QuotePlan(
      {plan, purse, *accounts, std::make_shared<accountant::EpsilonMeter>(still_wanted)});
}

absl::StatusOr<v1::PlanState> FoldedLedger::Cancel(absl::string_view principal,
                                                   absl::string_view plan_id, int64_t now_ms) {
  const fold::CancelAct act{
      .plan_id = std::string(plan_id), .now_ms = now_ms, .principal = std::string(principal)};
  TW_RETURN_IF_ERROR(DecideAndCommit(
      "cancel", [&](const fold::LedgerState& state) { return fold::Decide(state, act); }));
  return Show(act.plan_id);
}

absl::StatusOr<v1::PlanState> FoldedLedger::CancelAnyPlan(absl::string_view plan_id,
                                                          int64_t now_ms) {
  const fold::CancelAct act{
      .plan_id = std::string(plan_id), .now_ms = now_ms, .principal = std::nullopt};
  TW_RETURN_IF_ERROR(DecideAndCommit(
      "cancel", [&](const fold::LedgerState& state) { return fold::Decide(state, act); }));
  return Show(act.plan_id);
}

absl::Status FoldedLedger::CancelExpired(const std::map<std::string, int>& reservation_days,
                                         int64_t now_ms) {
  const fold::ExpireAct act{.reservation_days = reservation_days, .now_ms = now_ms};
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    TW_ASSIGN_OR_RETURN(const fold::Events expired, fold::Decide(state_.ledger, act));
    if (expired.empty()) return absl::OkStatus();  // nearly always, without waiting for any act
  }
  // Decided again: since the look above other acts may have charged some of these plans.
  return DecideAndCommit("expiry",
                         [&](const fold::LedgerState& state) { return fold::Decide(state, act); });
}

absl::StatusOr<std::optional<v1::SignedReceipt>> FoldedLedger::Sign(const std::string& plan_id,
                                                                    int64_t event) {
  if (!signing_key_.has_value()) return std::nullopt;
  std::optional<ReceiptSubject> subject;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    const BudgetState& budget = *state_.ledger.WithPlan(plan_id);
    const fold::Plan& plan = *budget.FindPlan(plan_id);
    const auto [act, iteration] = ActAt(plan, event);
    subject = ReceiptSubject{.budget_id = budget.budget_id(),
                             .custodian_id = budget.opening().custodian_id(),
                             .sequence = event,
                             .act = act,
                             .iteration = iteration,
                             .plan = plan.terms,
                             .policy = budget.policy(),
                             .spent = budget.SpentAfter(event)};
  }
  return SignReceipt(*store_, *seals_, *signing_key_, *subject);
}

absl::StatusOr<v1::PlanState> FoldedLedger::Show(const std::string& plan_id) {
  v1::PlanState shown;
  fold::Plan plan;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    const BudgetState& budget = *state_.ledger.WithPlan(plan_id);
    plan = *budget.FindPlan(plan_id);
    TW_ASSIGN_OR_RETURN(shown, Shown(state_, budget, plan, *store_));
  }
  TW_RETURN_IF_ERROR(Noted());
  TW_ASSIGN_OR_RETURN(*shown.mutable_plan(), SpecOf(*store_, plan));
  TW_ASSIGN_OR_RETURN(auto receipt, Sign(plan_id, plan.sequence));
  if (receipt.has_value()) *shown.mutable_reservation_receipt() = *std::move(receipt);
  if (plan.state != v1::PlanState::CANCELLED) return shown;
  TW_ASSIGN_OR_RETURN(receipt, Sign(plan_id, plan.cancelled_sequence));
  if (receipt.has_value()) *shown.mutable_cancellation_receipt() = *std::move(receipt);
  return shown;
}

absl::StatusOr<v1::PlanState> FoldedLedger::GetPlan(absl::string_view principal,
                                                    absl::string_view plan_id) {
  TW_RETURN_IF_ERROR(RequireCurrent());
  const std::string id(plan_id);
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    const Place place = state_.Seek(id, 0);
    if (place.plan == nullptr || place.plan->principal != principal) return fold::NoPlanOfYours();
  }
  return Show(id);
}

absl::StatusOr<PlanPage> FoldedLedger::ListPlans(const PlanQuery& query) {
  TW_RETURN_IF_ERROR(RequireCurrent());
  TW_RETURN_IF_ERROR(CheckPageSize(query.page_size));
  const std::size_t limit = query.page_size == 0 ? kMaxPlansPerPage : query.page_size;
  PlanPage page;
  if (query.principal.empty()) return page;
  {
    absl::ReaderMutexLock lock(&state_mutex_);
    const std::vector<Listed> plans = PlansOf(state_.ledger, query.principal);
    auto next = plans.begin();
    if (!query.page_token.empty()) {
      // Plans are never removed: the one that a page ended with is still there.
      next = std::find_if(plans.begin(), plans.end(), [&](const Listed& listed) {
        return listed.plan->terms.plan_id() == query.page_token;
      });
      if (next == plans.end()) {
        return absl::InvalidArgumentError("page_token must be a next_page_token of such a list.");
      }
      ++next;
    }
    size_t bytes = 0;
    for (; next != plans.end(); ++next) {
      if (!query.corpus.empty() && next->plan->terms.spec().corpus() != query.corpus) continue;
      if (page.plans.size() == limit || bytes >= kBytesOfPage) {
        page.next_page_token = page.plans.back().plan_id();
        break;
      }
      TW_ASSIGN_OR_RETURN(v1::PlanState shown, Shown(state_, *next->budget, *next->plan, *store_));
      *shown.mutable_plan() = next->plan->terms.spec();
      bytes += shown.ByteSizeLong();
      page.plans.push_back(std::move(shown));
    }
  }
  TW_RETURN_IF_ERROR(Noted());
  return page;
}

}  // namespace topicwall::ledger
