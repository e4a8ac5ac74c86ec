// Every Apply checks all it has to before it changes anything: an entry that is refused leaves the
// state as it was. They check what could not have happened, not what should not have been decided:
// a chain is history, and is folded by rules that later versions of Decide may tighten.
#include "accountant/ledger/budget_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "accountant/ledger/policy_record.h"
#include "base/status_macros.h"

namespace topicwall::accountant::ledger {

// A charge that has not ended, and the corpus of its plan; null both if there is none.
struct BudgetState::Pending {
  Charge* charge = nullptr;
  Corpus* corpus = nullptr;
};

absl::Status BudgetState::Apply(const v1::LedgerEntry& entry) {
  v1::LedgerEvent event;
  TW_RETURN_IF_ERROR(proto::VerifyEntry(entry, length_, head_, &event));
  return ApplyVerified(entry, event);
}

absl::Status BudgetState::ApplyVerified(const v1::LedgerEntry& entry,
                                        const v1::LedgerEvent& event) {
  // The first event opens the budget, and no other one does.
  const bool opens = event.has_budget_opened();
  const bool in_place = opens ? length_ == 0 : length_ > 0 && event.budget_id() == budget_id_;
  if (!in_place || !ApplyAct(event)) {
    return absl::DataLossError(
        absl::StrCat("ledger event ", entry.sequence(), " cannot follow the events before it."));
  }
  budget_id_ = event.budget_id();
  length_ = entry.sequence();
  head_ = entry.head();
  // An act is dated when it is asked for, and may wait behind one that is dated later.
  last_time_ms_ = std::max(last_time_ms_, event.time_ms());
  // Only now: the head of the event that froze the budget is known once the event is in the chain.
  if (event.has_budget_restored()) freeze_->head = head_;
  return absl::OkStatus();
}

bool BudgetState::ApplyAct(const v1::LedgerEvent& event) {
  // Acts on plans first: these carry the principal whose plan it is.
  switch (event.act_case()) {
    case v1::LedgerEvent::kPlanReserved:
      return Apply(event, event.plan_reserved());
    case v1::LedgerEvent::kPlanCancelled:
      return Apply(event, event.plan_cancelled());
    case v1::LedgerEvent::kIterationCharged:
      return Apply(event, event.iteration_charged());
    case v1::LedgerEvent::kReleasePublished:
      return Apply(event, event.release_published());
    case v1::LedgerEvent::kReleaseVoided:
      return Apply(event, event.release_voided());
    case v1::LedgerEvent::kReleaseRestarted:
      return Apply(event, event.release_restarted());
    case v1::LedgerEvent::kPlanPaused:
      return Apply(event, event.plan_paused());
    default:
      break;
  }
  if (!event.principal().empty()) return false;  // what is left are the custodian's acts
  switch (event.act_case()) {
    case v1::LedgerEvent::kBudgetOpened:
      return Apply(event, event.budget_opened());
    case v1::LedgerEvent::kCorpusJoined:
      return Apply(event, event.corpus_joined());
    case v1::LedgerEvent::kOverrunsAcknowledged:
      return Apply(event, event.overruns_acknowledged());
    case v1::LedgerEvent::kBudgetsSummed:
      return Apply(event, event.budgets_summed());
    case v1::LedgerEvent::kBudgetRestored:
      return Apply(event, event.budget_restored());
    case v1::LedgerEvent::kBudgetThawed:
      return Apply(event, event.budget_thawed());
    default:
      return false;
  }
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::BudgetOpened& act) {
  absl::StatusOr<AdmissionPolicy> policy = PolicyOf(act);
  if (!policy.ok()) return false;
  opening_ = act;
  SetSpent(event, policy->NothingSpent());
  sum_.set_epsilon(policy->budget().epsilon);
  sum_.set_delta(policy->budget().delta);
  policy_.emplace(*std::move(policy));
  return true;
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::CorpusJoined& act) {
  return corpora_
      .try_emplace(act.corpus_version(), Corpus{.sequence = event.sequence(), .name = act.corpus()})
      .second;
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::PlanReserved& act) {
  if (act.spec().iterations() < 1 || event.principal().empty() ||
      plans_.count(act.plan_id()) != 0 || FindCorpus(act.spec().corpus_version()) == nullptr) {
    return false;
  }
  Plan plan{.sequence = event.sequence(),
            .principal = event.principal(),
            .reserved_at_ms = event.time_ms(),
            .terms = act,
            .reserved_iterations = act.spec().iterations()};
  const PlanCost set_aside = plan.SetAside();
  const absl::StatusOr<DpEvent> mechanism = EventOf(act.spec());
  if (!mechanism.ok() || !policy_->CanCost(*mechanism, set_aside.cost)) return false;
  if (frozen()) {
    // Taken over from a lost ledger: it happened, and it goes no further.
    plan.state = v1::PlanState::PAUSED;
    plan.refundable = false;
    plan.taken_over = true;
  }
  SetSpent(event, policy_->SpentAfter(spent_, set_aside));
  analysts_[plan.principal] = policy_->SpentAfter(SpentBy(plan.principal), set_aside);
  releases_reserved_[plan.principal] += act.spec().iterations();
  plans_.emplace(act.plan_id(), std::move(plan));
  return true;
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::PlanCancelled& act) {
  Plan* plan = PlanOf(event, act.plan_id());
  // Exactly what was left: one iteration more would give back what was charged, one less would keep
  // what nobody can use.
  if (plan == nullptr || plan->state == v1::PlanState::CANCELLED || frozen() ||
      act.iterations_returned() != plan->Returnable() ||
      (act.expired() && !plan->charges.empty())) {
    return false;
  }
  const PlanCost set_aside = plan->SetAside();
  const int64_t used = set_aside.iterations - act.iterations_returned();
  absl::StatusOr<CostVector> all = policy_->Refund(spent_, set_aside, used);
  absl::StatusOr<CostVector> own = policy_->Refund(SpentBy(plan->principal), set_aside, used);
  if (!all.ok() || !own.ok()) return false;
  SetSpent(event, *std::move(all));
  analysts_[plan->principal] = *std::move(own);
  plan->state = v1::PlanState::CANCELLED;
  plan->expired = act.expired();
  plan->cancelled_sequence = event.sequence();
  plan->reserved_iterations -= act.iterations_returned();
  releases_reserved_[plan->principal] -= act.iterations_returned();
  return true;
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::IterationCharged& act) {
  Plan* plan = PlanOf(event, act.plan_id());
  if (plan == nullptr || act.iteration() < 1 || act.iteration() > plan->terms.spec().iterations()) {
    return false;
  }
  // While frozen, charges are taken over from a lost ledger.
  if (plan->state != v1::PlanState::ACTIVE && !frozen()) return false;
  // An iteration is charged once: a second charge would be another release for the same price.
  const auto [charge, is_new] =
      plan->charges.try_emplace(act.iteration(), Charge{.sequence = event.sequence(),
                                                        .charged_at_ms = event.time_ms(),
                                                        .terms = act,
                                                        .taken_over = frozen()});
  if (!is_new) return false;
  life_.Begin(act.has_protection() ? &act.protection() : nullptr, charge->second);
  return true;
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::ReleasePublished& act) {
  const Pending pending = PendingOf(event, act.plan_id(), act.iteration());
  if (pending.charge == nullptr) return false;
  pending.charge->published = act;
  pending.charge->readable_at_ms = event.time_ms();
  pending.charge->published_sequence = event.sequence();
  pending.charge->taken_over = pending.charge->taken_over || frozen();
  // Published at a later level of its schedule than the first (proto/ledger.proto).
  const int overruns = act.intervals_waited() > 1 ? 1 : 0;
  pending.corpus->overruns += overruns;
  life_.overruns += overruns;
  return true;
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::ReleaseVoided& act) {
  const Pending pending = PendingOf(event, act.plan_id(), act.iteration());
  if (pending.charge == nullptr || act.ground() == v1::ReleaseVoided::GROUND_UNSPECIFIED) {
    return false;
  }
  pending.charge->void_ground = act.ground();
  ++pending.corpus->voided;
  ++life_.voided;
  if (act.ground() == v1::ReleaseVoided::UNREADABLE_DATA) ++pending.corpus->unreadable;
  return true;
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::ReleaseRestarted& act) {
  const Pending pending = PendingOf(event, act.plan_id(), act.iteration());
  if (pending.charge == nullptr) return false;
  pending.charge->restarted_at_ms = event.time_ms();
  ++pending.charge->restarts;
  life_.Begin(act.has_protection() ? &act.protection() : nullptr, *pending.charge);
  return true;
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::PlanPaused& act) {
  Plan* plan = PlanOf(event, act.plan_id());
  if (plan == nullptr || plan->state != v1::PlanState::ACTIVE) return false;
  plan->state = v1::PlanState::PAUSED;
  return true;
}

// All that were counted when the act was decided: another number is no event of this chain.
bool BudgetState::Apply(const v1::LedgerEvent&, const v1::OverrunsAcknowledged& act) {
  const auto corpus = corpora_.find(act.corpus_version());
  if (corpus == corpora_.end() || act.overruns() != corpus->second.overruns) return false;
  corpus->second.acknowledged = act.overruns() + corpus->second.voided;
  corpus->second.unreadable = 0;
  return true;
}

// Never less than the budget promises by itself.
bool BudgetState::Apply(const v1::LedgerEvent&, const v1::BudgetsSummed& act) {
  const PrivacyParams& own = policy_->budget();
  if (!(act.sum().epsilon() >= own.epsilon && act.sum().delta() >= own.delta)) return false;
  sum_ = act.sum();
  return true;
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::BudgetRestored& act) {
  restored_at_ = event.sequence();
  epoch_ = act.epoch();
  freeze_ = Freeze{.sequence = event.sequence(), .backup_head = head_, .head = ""};
  // What was charged after the backup is unknown, so nothing that looks unused may be given back.
  for (auto& [id, plan] : plans_) {
    if (plan.state == v1::PlanState::ACTIVE) plan.state = v1::PlanState::PAUSED;
    plan.refundable = false;
  }
  return true;
}

bool BudgetState::Apply(const v1::LedgerEvent& event, const v1::BudgetThawed& act) {
  if (!frozen() || act.ground() == v1::BudgetThawed::GROUND_UNSPECIFIED) return false;
  freeze_.reset();
  restorations_.push_back({.thawed_at_ms = event.time_ms(), .thaw = act});
  // Nobody can say how much of it the lost ledger had spent: all of it, then.
  if (act.ground() == v1::BudgetThawed::FORFEITED || act.forfeited_unseen()) {
    SetSpent(event, policy_->EverythingSpent());
  }
  return true;
}

CostVector BudgetState::SpentBy(const std::string& principal) const {
  const auto own = analysts_.find(principal);
  return own == analysts_.end() ? policy_->NothingSpent() : own->second;
}

const CostVector& BudgetState::SpentAfter(int64_t sequence) const {
  // There is one before any event: the opening has set the first.
  return std::prev(spent_by_event_.upper_bound(sequence))->second;
}

// Every stage is kept: a receipt says what was spent right after its own event, and may be asked
// for at any time.
void BudgetState::SetSpent(const v1::LedgerEvent& event, CostVector spent) {
  spent_ = std::move(spent);
  spent_by_event_[event.sequence()] = spent_;
}

const Plan* BudgetState::FindPlan(const std::string& plan_id) const {
  const auto plan = plans_.find(plan_id);
  return plan == plans_.end() ? nullptr : &plan->second;
}

const Corpus* BudgetState::FindCorpus(const std::string& corpus_version) const {
  const auto corpus = corpora_.find(corpus_version);
  return corpus == corpora_.end() ? nullptr : &corpus->second;
}

Plan* BudgetState::PlanOf(const v1::LedgerEvent& event, const std::string& plan_id) {
  const auto plan = plans_.find(plan_id);
  if (plan == plans_.end() || plan->second.principal != event.principal()) return nullptr;
  return &plan->second;
}

BudgetState::Pending BudgetState::PendingOf(const v1::LedgerEvent& event,
                                            const std::string& plan_id, int iteration) {
  Plan* plan = PlanOf(event, plan_id);
  if (plan == nullptr) return {};
  const auto charge = plan->charges.find(iteration);
  if (charge == plan->charges.end() || !charge->second.pending()) return {};
  // The plan's corpus: its reservation has seen that there is one.
  return {.charge = &charge->second,
          .corpus = &corpora_.find(plan->terms.spec().corpus_version())->second};
}

}  // namespace topicwall::accountant::ledger
