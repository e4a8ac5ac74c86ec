// An event that contradicts those before it is a finding, and the replay goes on: one fault must
// not hide the next. A cancel that would give back too much is not applied, so that this doubt
// counts against the wall.
#include "client/audit/ledger_replay.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/audit/enforced_price.h"
#include "proto/ledger_chain.h"

namespace topicwall::client {
namespace {

using accountant::AdmissionPolicy;
using accountant::CostVector;

absl::StatusOr<accountant::DpEvent> PlanOf(const v1::PlanReserved& terms) {
  TW_ASSIGN_OR_RETURN(const accountant::DpEvent plan, EventOf(terms.spec()));
  if (!(plan.count >= 1)) return absl::InvalidArgumentError("a plan has iterations.");
  return plan;
}

// But for the order in which they were added.
bool IsCloseTo(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(a, b); }

}  // namespace

bool IsSamePrice(uint64_t a, uint64_t b) {
  if (a == accountant::kDeadOrder || b == accountant::kDeadOrder) return a == b;
  const double larger = static_cast<double>(std::max(a, b));
  return larger - static_cast<double>(std::min(a, b)) <= std::max(1.0, kPriceTolerance * larger);
}

absl::StatusOr<LedgerReplay> LedgerReplay::Create(const v1::LedgerEvent& opening) {
  if (!opening.has_budget_opened()) {
    return absl::DataLossError("the ledger does not begin with the opening of its budget.");
  }
  absl::StatusOr<AdmissionPolicy> policy = PolicyOf(opening.budget_opened());
  if (!policy.ok()) {
    return absl::DataLossError(absl::StrCat("the ledger opens its budget with an unusable policy: ",
                                            policy.status().message()));
  }
  return LedgerReplay(*std::move(policy), opening.budget_opened().privacy_unit());
}

LedgerReplay::LedgerReplay(AdmissionPolicy policy, v1::PrivacyUnit privacy_unit)
    : policy_(std::move(policy)), privacy_unit_(privacy_unit), spent_(policy_.NothingSpent()) {}

CostVector LedgerReplay::SpentBy(const std::string& principal) const {
  const auto found = spent_by_.find(principal);
  return found == spent_by_.end() ? policy_.NothingSpent() : found->second;
}

void LedgerReplay::Note(const v1::LedgerEvent& event, absl::string_view what) {
  findings_.push_back(absl::StrCat("entry ", event.sequence(), ": ", what, "."));
}

LedgerReplay::Plan* LedgerReplay::FindPlan(const v1::LedgerEvent& event,
                                           const std::string& plan_id) {
  const auto found = plans_.find(plan_id);
  if (found != plans_.end()) return &found->second;
  // The custodian's acts name plans of everybody, also of those whose events came sealed.
  const bool may_be_unseen = has_unseen_ && event.principal().empty();
  if (!may_be_unseen) Note(event, absl::StrCat("plan ", plan_id, " was never reserved"));
  return nullptr;
}

void LedgerReplay::Apply(const v1::LedgerEvent& event) {
  switch (event.act_case()) {
    case v1::LedgerEvent::kBudgetOpened:
      return Note(event, "the budget is opened a second time");
    case v1::LedgerEvent::kPlanReserved:
      return Reserve(event);
    case v1::LedgerEvent::kPlanCancelled:
      return Cancel(event);
    case v1::LedgerEvent::kIterationCharged:
      return Charge(event);
    case v1::LedgerEvent::kReleasePublished:
      return Publish(event);
    case v1::LedgerEvent::kReleaseVoided:
      return Void(event);
    case v1::LedgerEvent::kReleaseRestarted:
      return Restart(event);
    case v1::LedgerEvent::kBudgetsSummed:
      return Sum(event);
    case v1::LedgerEvent::kBudgetRestored:
      restoring_ = was_restored_ = true;
      return;
    case v1::LedgerEvent::kBudgetThawed:
      restoring_ = false;
      forfeited_ |= event.budget_thawed().ground() == v1::BudgetThawed::FORFEITED ||
                    event.budget_thawed().forfeited_unseen();
      // For good: what comes behind it cannot give back what nobody could count.
      if (forfeited_) spent_ = policy_.EverythingSpent();
      return;
    case v1::LedgerEvent::kCorpusJoined:
    case v1::LedgerEvent::kOverrunsAcknowledged:
    case v1::LedgerEvent::kPlanPaused:
      return;  // spends nothing
    case v1::LedgerEvent::ACT_NOT_SET:
      return Note(event, "this version of topicwall does not know the event");
  }
}

CostVector LedgerReplay::VouchersOf(const v1::LedgerEvent& event, const accountant::DpEvent& plan) {
  const v1::PlanReserved& terms = event.plan_reserved();
  CostVector recorded{terms.cost().begin(), terms.cost().end()};
  if (!policy_.CanCost(plan, recorded)) {
    Note(event,
         absl::StrCat("plan ", terms.plan_id(), " has drawn vouchers that do not pay for it"));
    return policy_.EverythingSpent();
  }
  // The rule goes by what everybody had drawn, of which some was not seen, or was lost.
  if (has_unseen_ || was_restored_) return recorded;
  const auto rule = policy_.Admit(plan, spent_);
  if (rule.ok() && rule->has_value() && (*rule)->plan.cost != recorded) {
    Note(event, absl::StrCat("plan ", terms.plan_id(), " has drawn other vouchers than the rule"));
  }
  return recorded;
}

CostVector LedgerReplay::CostOf(const v1::LedgerEvent& event) {
  const v1::PlanReserved& terms = event.plan_reserved();
  const absl::StatusOr<accountant::DpEvent> plan = PlanOf(terms);
  if (plan.ok() && policy_.inventory() != nullptr) return VouchersOf(event, *plan);
  absl::StatusOr<CostVector> cost =
      plan.ok() ? policy_.filter()->CostPerRelease(plan->release) : plan.status();
  if (!cost.ok()) {
    Note(event, absl::StrCat("plan ", terms.plan_id(), " has terms without a price"));
    cost = policy_.EverythingSpent();
  }
  if (!std::equal(cost->begin(), cost->end(), terms.cost().begin(), terms.cost().end(),
                  IsSamePrice)) {
    Note(event, absl::StrCat("plan ", terms.plan_id(), " is recorded at another price"));
  }
  return *std::move(cost);
}

// A filter admits iff this bound is within the total; an inventory, iff the vouchers are there.
bool LedgerReplay::IsBeyondBudget(const CostVector& cost) const {
  if (policy_.filter() != nullptr) {
    // By as much as two versions of a price may differ, or an honest wall would be accused.
    const double total = policy_.budget().epsilon * (1 + kPriceTolerance);
    return !(policy_.EpsilonUpperBound(spent_) <= total);
  }
  const std::vector<accountant::VoucherKind>& kinds = policy_.inventory()->spec().kinds;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (cost[i] > 0 && spent_[i] > static_cast<uint64_t>(kinds[i].count)) return true;
  }
  return false;
}

void LedgerReplay::Reserve(const v1::LedgerEvent& event) {
  const v1::PlanReserved& terms = event.plan_reserved();
  if (plans_.count(terms.plan_id()) != 0) {
    return Note(event, absl::StrCat("plan ", terms.plan_id(), " is reserved a second time"));
  }
  Plan plan;
  plan.audited.principal = event.principal();
  plan.audited.terms = terms;
  plan.set_aside = {.cost = CostOf(event), .iterations = terms.spec().iterations()};
  // Whether or not it should have been admitted: its releases may have been made.
  spent_ = policy_.SpentAfter(spent_, plan.set_aside);
  CostVector& own = spent_by_.try_emplace(event.principal(), policy_.NothingSpent()).first->second;
  own = policy_.SpentAfter(own, plan.set_aside);
  if (!restoring_ && IsBeyondBudget(plan.set_aside.cost)) {
    Note(event, absl::StrCat("plan ", terms.plan_id(), " was admitted beyond the budget"));
  }
  order_.push_back(terms.plan_id());
  plans_.emplace(terms.plan_id(), std::move(plan));
}

void LedgerReplay::Cancel(const v1::LedgerEvent& event) {
  Plan* plan = FindPlan(event, event.plan_cancelled().plan_id());
  if (plan == nullptr) return;
  AuditedPlan& audited = plan->audited;
  if (audited.cancelled) return Note(event, "the plan is cancelled a second time");
  audited.cancelled = true;
  audited.expired = event.plan_cancelled().expired();
  if (audited.expired && audited.charged > 0) Note(event, "a plan expired that was charged for");
  const int32_t returned = event.plan_cancelled().iterations_returned();
  if (!(returned >= 0 && returned <= audited.terms.spec().iterations() - audited.charged)) {
    return Note(event, absl::StrCat(returned, " iterations are returned that were not there"));
  }
  // A custodian may give back less than was left; what was kept stays spent.
  const int64_t used = plan->set_aside.iterations - returned;
  const absl::StatusOr<CostVector> left = policy_.Refund(spent_, plan->set_aside, used);
  CostVector& own = spent_by_.find(audited.principal)->second;
  const absl::StatusOr<CostVector> own_left = policy_.Refund(own, plan->set_aside, used);
  if (!left.ok() || !own_left.ok()) return Note(event, "more is returned than was spent");
  audited.returned = returned;
  spent_ = *left;
  own = *own_left;
}

void LedgerReplay::Charge(const v1::LedgerEvent& event) {
  Plan* plan = FindPlan(event, event.iteration_charged().plan_id());
  if (plan == nullptr) return;
  const int32_t iteration = event.iteration_charged().iteration();
  if (plan->audited.cancelled) Note(event, "an iteration is charged to a cancelled plan");
  if (!(iteration >= 1 && iteration <= plan->audited.terms.spec().iterations())) {
    return Note(event, absl::StrCat("iteration ", iteration, " is not one of its plan"));
  }
  const v1::IterationCharged& act = event.iteration_charged();
  // A charge that names none binds the wall to no noise.
  if (act.release_key_sha256().size() != proto::kHashSize) {
    Note(event, absl::StrCat("iteration ", iteration, " is charged without saying for which key"));
  }
  const auto [begun, is_new] = plan->charged.try_emplace(iteration);
  if (!is_new) {
    return Note(event, absl::StrCat("iteration ", iteration, " is charged a second time"));
  }
  begun->second.Add(act);
  plan->audited.charged = static_cast<int32_t>(plan->charged.size());
}

bool LedgerReplay::IsUnderWay(const v1::LedgerEvent& event, const Plan& plan, int32_t iteration,
                              absl::string_view what) {
  const bool charged = plan.charged.count(iteration) != 0;
  if (charged && plan.published.count(iteration) == 0 && plan.voided.count(iteration) == 0) {
    return true;
  }
  Note(event, absl::StrCat("iteration ", iteration, " is ", what,
                           charged ? " after it ended" : ", but was not charged"));
  return false;
}

void LedgerReplay::Publish(const v1::LedgerEvent& event) {
  const v1::ReleasePublished& act = event.release_published();
  Plan* plan = FindPlan(event, act.plan_id());
  if (plan == nullptr || !IsUnderWay(event, *plan, act.iteration(), "released")) return;
  plan->published.insert(act.iteration());
  const int32_t waited = act.intervals_waited();
  timing_.overruns += waited > 1 ? 1 : 0;
  if (!plan->charged.find(act.iteration())->second.IsInstant(waited)) {
    Note(event, absl::StrCat("iteration ", act.iteration(), " is released after ", waited,
                             " intervals, which is no instant of its schedule"));
  }
}

void LedgerReplay::Void(const v1::LedgerEvent& event) {
  const v1::ReleaseVoided& act = event.release_voided();
  Plan* plan = FindPlan(event, act.plan_id());
  ++timing_.voided;
  if (plan == nullptr || !IsUnderWay(event, *plan, act.iteration(), "voided")) return;
  plan->voided.insert(act.iteration());
  plan->audited.voided = static_cast<int32_t>(plan->voided.size());
}

void LedgerReplay::Restart(const v1::LedgerEvent& event) {
  const v1::ReleaseRestarted& act = event.release_restarted();
  Plan* plan = FindPlan(event, act.plan_id());
  ++timing_.restarts;
  if (plan == nullptr || !IsUnderWay(event, *plan, act.iteration(), "waiting again")) return;
  plan->charged.find(act.iteration())->second.Add(act);
}

void LedgerReplay::Sum(const v1::LedgerEvent& event) {
  // Kept even if it is wrong, for it is what the wall tells people.
  sum_ = event.budgets_summed().sum();
  double epsilon = policy_.budget().epsilon, delta = policy_.budget().delta;
  for (const v1::SharedBudget& other : sum_.budgets()) {
    epsilon += other.epsilon();
    delta += other.delta();
  }
  if (!IsCloseTo(sum_.epsilon(), epsilon) || !IsCloseTo(sum_.delta(), delta)) {
    Note(event, absl::StrCat("the sum over budgets is told as epsilon ", sum_.epsilon(), ", delta ",
                             sum_.delta(), "; it is ", epsilon, ", ", delta));
  }
}

std::vector<v1::PlanReserved> LedgerReplay::TermsOf(absl::Span<const std::string> plan_ids) const {
  std::vector<v1::PlanReserved> terms;
  for (const std::string& id : order_) {
    const bool is_one = std::find(plan_ids.begin(), plan_ids.end(), id) != plan_ids.end();
    if (is_one) terms.push_back(plans_.find(id)->second.audited.terms);
  }
  return terms;
}

std::vector<AuditedPlan> LedgerReplay::Plans() const {
  std::vector<AuditedPlan> plans;
  std::map<CostVector, double> known;  // composing vouchers takes its time, and plans are alike
  for (const std::string& id : order_) {
    const Plan& plan = plans_.find(id)->second;
    plans.push_back(plan.audited);
    const int64_t kept = plan.set_aside.iterations - plan.audited.returned;
    const CostVector spending = policy_.Spending(plan.set_aside, kept);
    const auto [place, is_new] = known.try_emplace(spending, 0);
    if (is_new) place->second = policy_.EpsilonUpperBound(spending);
    plans.back().epsilon_upper_bound = place->second;
  }
  return plans;
}

}  // namespace topicwall::client
