#include "server/ledger/budget_replay.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "server/ledger/plan_table.h"
#include "server/ledger/policy_record.h"

namespace topicwall::ledger {
namespace {

// A filter's price is not computed again at every start; that vouchers suffice is seen at once.
bool CanCost(const accountant::AdmissionPolicy& policy, const v1::PlanReserved& act) {
  const accountant::CostVector cost{act.cost().begin(), act.cost().end()};
  if (policy.filter() != nullptr) return cost.size() == policy.NothingSpent().size();
  const absl::StatusOr<accountant::DpEvent> plan = EventOf(act);
  return plan.ok() && policy.CanCost(*plan, cost);
}

}  // namespace

absl::Status BudgetReplay::Apply(const v1::LedgerEvent& event) {
  // The first event opens the budget, and no other one does.
  const bool first = event.has_budget_opened();
  if (first == policy_.has_value() || !ApplyAct(event)) {
    return absl::DataLossError(
        absl::StrCat("ledger event ", event.sequence(), " cannot follow the events before it."));
  }
  return absl::OkStatus();
}

bool BudgetReplay::ApplyAct(const v1::LedgerEvent& event) {
  switch (event.act_case()) {
    case v1::LedgerEvent::kBudgetOpened:
      return Apply(event.budget_opened());
    case v1::LedgerEvent::kCorpusJoined:
      return Apply(event.corpus_joined());
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
    case v1::LedgerEvent::kOverrunsAcknowledged:
      return Apply(event.overruns_acknowledged());
    case v1::LedgerEvent::kSigningKeyEstablished:
      return Apply(event.signing_key_established());
    case v1::LedgerEvent::kBudgetRestored:
      Restore(event.sequence());
      return true;
    case v1::LedgerEvent::kBudgetThawed:
      if (picture_.restored_at == 0) return false;
      Thaw(event.sequence(), event.budget_thawed());
      return true;
    case v1::LedgerEvent::kBudgetsSummed:
      return Apply(event.budgets_summed());
    case v1::LedgerEvent::ACT_NOT_SET:
      return false;
  }
  return false;
}

bool BudgetReplay::Apply(const v1::BudgetOpened& act) {
  const v1::PolicyRecord record = RecordOf(act);
  absl::StatusOr<accountant::AdmissionPolicy> policy = PolicyOf(record);
  if (!policy.ok()) return false;
  picture_.policy = record.SerializeAsString();
  picture_.privacy_unit = act.privacy_unit();
  picture_.signing_key = act.signing_key();
  picture_.spent = policy->NothingSpent();
  policy_.emplace(*std::move(policy));
  return true;
}

bool BudgetReplay::Apply(const v1::CorpusJoined& act) {
  return picture_.corpora.try_emplace(act.corpus_version(), CorpusPicture{.corpus = act.corpus()})
      .second;
}

bool BudgetReplay::Apply(const v1::LedgerEvent& event, const v1::PlanReserved& act) {
  PlanPicture plan{.corpus_version = act.corpus_version(),
                   .principal = event.principal(),
                   .plan_sha256 = act.plan_sha256(),
                   .cost = {act.cost().begin(), act.cost().end()},
                   .reserved_at_ms = event.time_ms(),
                   .iterations = act.iterations(),
                   .reserved_iterations = act.iterations()};
  if (!CanCost(*policy_, act) || plan.iterations < 1 || plan.principal.empty() ||
      picture_.corpora.count(plan.corpus_version) == 0) {
    return false;
  }
  if (picture_.restored_at != 0) {
    // Taken over from a reader's export: it happened, and it goes no further.
    plan.state = v1::PlanState::PAUSED;
    plan.refundable = false;
  }
  const accountant::PlanCost set_aside = {.cost = plan.cost, .iterations = plan.iterations};
  picture_.spent = policy_->SpentAfter(picture_.spent, set_aside);
  accountant::CostVector& own =
      picture_.analyst_spent.try_emplace(plan.principal, policy_->NothingSpent()).first->second;
  own = policy_->SpentAfter(own, set_aside);
  return picture_.plans.try_emplace(act.plan_id(), std::move(plan)).second;
}

bool BudgetReplay::Apply(const v1::LedgerEvent& event, const v1::PlanCancelled& act) {
  PlanPicture* plan = PlanOf(event, act.plan_id());
  if (plan == nullptr || plan->state == v1::PlanState::CANCELLED) return false;
  const int returned =
      plan->refundable ? plan->iterations - static_cast<int>(plan->charges.size()) : 0;
  if (act.iterations_returned() != returned) return false;
  accountant::CostVector& own = picture_.analyst_spent[plan->principal];
  const accountant::PlanCost set_aside = {.cost = plan->cost, .iterations = plan->iterations};
  const int64_t used = plan->iterations - returned;
  absl::StatusOr<accountant::CostVector> whole = policy_->Refund(picture_.spent, set_aside, used);
  absl::StatusOr<accountant::CostVector> part = policy_->Refund(own, set_aside, used);
  if (!whole.ok() || !part.ok()) return false;
  picture_.spent = *std::move(whole);
  own = *std::move(part);
  if (act.expired() && !plan->charges.empty()) return false;
  plan->state = v1::PlanState::CANCELLED;
  plan->expired = act.expired();
  plan->reserved_iterations -= returned;
  return true;
}

bool BudgetReplay::Apply(const v1::LedgerEvent& event, const v1::IterationCharged& act) {
  PlanPicture* plan = PlanOf(event, act.plan_id());
  if (plan == nullptr || act.iteration() < 1 || act.iteration() > plan->iterations) return false;
  // While frozen, charges are taken over from a reader's export.
  if (plan->state != v1::PlanState::ACTIVE && picture_.restored_at == 0) return false;
  return plan->charges
      .try_emplace(act.iteration(),
                   ChargePicture{.request_digest = act.request_digest(),
                                 .charged_at_ms = event.time_ms(),
                                 .release_interval_ms = IntervalOf(act),
                                 .kernel_name = act.kernel_name(),
                                 .free_processors = act.free_processors()})
      .second;
}

bool BudgetReplay::Apply(const v1::LedgerEvent& event, const v1::ReleasePublished& act) {
  const Pending pending = PendingOf(event, act.plan_id(), act.iteration());
  if (pending.charge == nullptr) return false;
  ChargePicture& charge = *pending.charge;
  charge.published = true;
  charge.header_sha256 = act.header_sha256();
  charge.release_sha256 = act.release_sha256();
  charge.readable_at_ms = event.time_ms();
  charge.intervals_waited = act.intervals_waited();
  if (act.intervals_waited() > 1) ++pending.corpus->overruns;
  return true;
}

bool BudgetReplay::Apply(const v1::LedgerEvent& event, const v1::ReleaseVoided& act) {
  const Pending pending = PendingOf(event, act.plan_id(), act.iteration());
  if (pending.charge == nullptr || act.ground() == v1::ReleaseVoided::GROUND_UNSPECIFIED) {
    return false;
  }
  pending.charge->void_ground = act.ground();
  ++pending.corpus->voided;
  if (act.ground() == v1::ReleaseVoided::UNREADABLE_DATA) ++pending.corpus->unreadable;
  return true;
}

bool BudgetReplay::Apply(const v1::LedgerEvent& event, const v1::ReleaseRestarted& act) {
  const Pending pending = PendingOf(event, act.plan_id(), act.iteration());
  if (pending.charge == nullptr) return false;
  pending.charge->restarted_at_ms = event.time_ms();
  ++pending.corpus->restarts;
  return true;
}

bool BudgetReplay::Apply(const v1::LedgerEvent& event, const v1::PlanPaused& act) {
  PlanPicture* plan = PlanOf(event, act.plan_id());
  if (plan == nullptr || plan->state != v1::PlanState::ACTIVE) return false;
  plan->state = v1::PlanState::PAUSED;
  return true;
}

bool BudgetReplay::Apply(const v1::OverrunsAcknowledged& act) {
  const auto corpus = picture_.corpora.find(act.corpus_version());
  if (corpus == picture_.corpora.end() || act.overruns() != corpus->second.overruns) return false;
  corpus->second.acknowledged = act.overruns() + corpus->second.voided;
  corpus->second.unreadable = 0;
  return true;
}

// Once, and for a budget that was opened without: a key never changes.
bool BudgetReplay::Apply(const v1::SigningKeyEstablished& act) {
  if (!picture_.signing_key.empty() || act.signing_key().empty()) return false;
  picture_.signing_key = act.signing_key();
  return true;
}

// A sum changes nothing here, but never promises less than the budget by itself.
bool BudgetReplay::Apply(const v1::BudgetsSummed& act) {
  const accountant::PrivacyParams& own = policy_->budget();
  return act.sum().epsilon() >= own.epsilon && act.sum().delta() >= own.delta;
}

void BudgetReplay::Restore(int64_t sequence) {
  picture_.restored_at = sequence;
  for (auto& [id, plan] : picture_.plans) {
    if (plan.state == v1::PlanState::ACTIVE) plan.state = v1::PlanState::PAUSED;
    plan.refundable = false;
  }
}

void BudgetReplay::Thaw(int64_t sequence, const v1::BudgetThawed& act) {
  picture_.restored_at = 0;
  picture_.thaws.push_back(sequence);
  if (act.ground() == v1::BudgetThawed::FORFEITED || act.forfeited_unseen()) {
    picture_.spent = policy_->EverythingSpent();
  }
}

PlanPicture* BudgetReplay::PlanOf(const v1::LedgerEvent& event, const std::string& plan_id) {
  const auto plan = picture_.plans.find(plan_id);
  if (plan == picture_.plans.end() || plan->second.principal != event.principal()) return nullptr;
  return &plan->second;
}

BudgetReplay::Pending BudgetReplay::PendingOf(const v1::LedgerEvent& event,
                                              const std::string& plan_id, int iteration) {
  PlanPicture* plan = PlanOf(event, plan_id);
  if (plan == nullptr) return {};
  const auto charge = plan->charges.find(iteration);
  if (charge == plan->charges.end() || charge->second.published ||
      charge->second.void_ground != 0) {
    return {};
  }
  // Of the plan's corpus: the reservation has seen that there is one.
  return {.charge = &charge->second,
          .corpus = &picture_.corpora.find(plan->corpus_version)->second};
}

}  // namespace topicwall::ledger
