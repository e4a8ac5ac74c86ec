// A ledger as an honest wall would send it, made event by event, for tests that then spoil it.
#ifndef TOPICWALL_TESTS_CLIENT_CHAIN_BUILDER_H_
#define TOPICWALL_TESTS_CLIENT_CHAIN_BUILDER_H_

#include <map>
#include <string>
#include <vector>

#include "accountant/filters/admission_policy.h"
#include "client/audit/enforced_price.h"
#include "proto/ledger.pb.h"
#include "proto/ledger_chain.h"
#include "proto/wall.pb.h"
#include "tests/client/stated_policy.h"

namespace topicwall::client {

class ChainBuilder {
 public:
  ChainBuilder()
      : ChainBuilder(*accountant::AdmissionPolicy::Create(
            *accountant::BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6}))) {}

  explicit ChainBuilder(const accountant::AdmissionPolicy& policy,
                        const std::string& budget_id = "budget",
                        const std::string& signing_key = "",
                        v1::PrivacyUnit unit = v1::PRIVACY_UNIT_DOCUMENT)
      : policy_(policy), spent_(policy.NothingSpent()), budget_id_(budget_id) {
    v1::LedgerEvent opened;
    State(*opened.mutable_budget_opened());
    opened.mutable_budget_opened()->set_signing_key(signing_key);
    opened.mutable_budget_opened()->set_privacy_unit(unit);
    Append(opened);
    v1::LedgerEvent joined;
    joined.mutable_corpus_joined()->set_corpus("notes");
    Append(joined);
  }

  // Vouchers (40, 1) × 6 and (20, 1) × 4, in that order.
  static accountant::AdmissionPolicy Vouchers() {
    return *accountant::AdmissionPolicy::Create(
        *accountant::MakeInventorySpec({.epsilon = 2.44, .delta = 1e-6}, {{20, 1, 4}, {40, 1, 6}}));
  }

  const accountant::AdmissionPolicy& policy() const { return policy_; }

  // Without keeping the sums: for events that an honest wall would not write.
  void Append(v1::LedgerEvent event) {
    event.set_sequence(static_cast<int64_t>(entries_.size()) + 1);
    event.set_budget_id(budget_id_);
    v1::LedgerEntry entry;
    entry.set_sequence(event.sequence());
    entry.set_event(event.SerializeAsString());
    entry.set_salt(std::string(proto::kEventSaltSize, 's'));
    entry.set_commitment(proto::EventCommitment(entry.salt(), entry.event()));
    entry.set_head(proto::NextHead(head_, entry.commitment()));
    head_ = entry.head();
    entries_.push_back(entry);
  }

  static v1::LedgerEvent Reserved(const std::string& principal, const std::string& plan_id,
                                  double noise_multiplier, int iterations) {
    v1::LedgerEvent event;
    event.set_principal(principal);
    v1::PlanReserved& plan = *event.mutable_plan_reserved();
    plan.set_plan_id(plan_id);
    plan.mutable_spec()->set_sampling_rate(1);
    plan.mutable_spec()->mutable_gaussian()->set_noise_multiplier(noise_multiplier);
    plan.mutable_spec()->set_iterations(iterations);
    return event;
  }

  static accountant::SubsampledGaussian ReleaseOf(double noise_multiplier) {
    return *accountant::SubsampledGaussian::Create(
        {.sampling_rate = 1, .noise_multipliers = {noise_multiplier}});
  }
  // Of one release under a filter.
  accountant::CostVector CostOf(double noise_multiplier) const {
    return *policy_.filter()->CostPerRelease(ReleaseOf(noise_multiplier));
  }
  // As a wall sets it aside; under a filter also what would not fit.
  accountant::PlanCost SetAside(double noise_multiplier, int iterations) const {
    if (policy_.filter() != nullptr) {
      return {.cost = CostOf(noise_multiplier), .iterations = iterations};
    }
    const accountant::DpEvent plan = {.release = ReleaseOf(noise_multiplier), .count = iterations};
    return (*policy_.Admit(plan, spent_))->plan;
  }

  void Reserve(const std::string& principal, const std::string& plan_id, double noise_multiplier,
               int iterations) {
    Admit(Reserved(principal, plan_id, noise_multiplier, iterations),
          SetAside(noise_multiplier, iterations));
  }
  // What an honest wall has admitted at that cost.
  void Admit(v1::LedgerEvent event, const accountant::PlanCost& plan) {
    event.mutable_plan_reserved()->mutable_cost()->Assign(plan.cost.begin(), plan.cost.end());
    plans_[event.plan_reserved().plan_id()] = plan;
    spent_ = policy_.SpentAfter(spent_, plan);
    accountant::CostVector& own =
        spent_by_.try_emplace(event.principal(), policy_.NothingSpent()).first->second;
    own = policy_.SpentAfter(own, plan);
    Append(event);
  }

  void Cancel(const std::string& principal, const std::string& plan_id, int returned) {
    const accountant::PlanCost& plan = plans_[plan_id];
    const int64_t used = plan.iterations - returned;
    spent_ = *policy_.Refund(spent_, plan, used);
    spent_by_[principal] = *policy_.Refund(spent_by_[principal], plan, used);
    v1::LedgerEvent event;
    event.set_principal(principal);
    event.mutable_plan_cancelled()->set_plan_id(plan_id);
    event.mutable_plan_cancelled()->set_iterations_returned(returned);
    Append(event);
  }

  void Charge(const std::string& principal, const std::string& plan_id, int iteration) {
    v1::LedgerEvent event;
    event.set_principal(principal);
    event.mutable_iteration_charged()->set_plan_id(plan_id);
    event.mutable_iteration_charged()->set_iteration(iteration);
    event.mutable_iteration_charged()->set_release_key_sha256(std::string(32, 'k'));
    Append(event);
  }

  // Restored, and thawed without anybody knowing what had been spent since.
  void Forfeit() {
    v1::LedgerEvent event;
    event.mutable_budget_restored()->set_epoch(1);
    Append(event);
    event.mutable_budget_thawed()->set_ground(v1::BudgetThawed::FORFEITED);
    Append(event);
    spent_ = policy_.EverythingSpent();
  }

  void Publish(const std::string& principal, const std::string& plan_id, int iteration) {
    v1::LedgerEvent event;
    event.set_principal(principal);
    event.mutable_release_published()->set_plan_id(plan_id);
    event.mutable_release_published()->set_iteration(iteration);
    Append(event);
  }

  // What all budgets promise together that may concern the same people: this, and one of (ε, δ).
  v1::BudgetSum SumWith(double epsilon, double delta,
                        const std::string& budget_id = "another budget") const {
    v1::BudgetSum sum;
    v1::SharedBudget& other = *sum.add_budgets();
    other.set_budget_id(budget_id);
    other.set_epsilon(epsilon);
    other.set_delta(delta);
    sum.set_epsilon(policy_.budget().epsilon + epsilon);
    sum.set_delta(policy_.budget().delta + delta);
    return sum;
  }
  void TellSum(const v1::BudgetSum& sum) {
    v1::LedgerEvent event;
    *event.mutable_budgets_summed()->mutable_sum() = sum;
    sum_ = sum;
    Append(event);
  }

  // GetBudget at this moment, as an auditor sees it.
  v1::BudgetStatus Budget() const {
    v1::BudgetStatus status;
    State(status);
    status.set_epsilon_total(policy_.budget().epsilon);
    status.set_epsilon_spent(policy_.EpsilonSpent(spent_));
    status.set_delta(policy_.budget().delta);
    status.mutable_spent()->Assign(spent_.begin(), spent_.end());
    status.set_events(static_cast<int64_t>(entries_.size()));
    status.set_chain_head(head_);
    *status.mutable_sum() = sum_;
    for (const auto& [principal, spent] : spent_by_) {
      v1::PrincipalBudget& budget = *status.add_principals();
      budget.set_principal(principal);
      budget.set_epsilon_spent(policy_.EpsilonUpperBound(spent));
    }
    return status;
  }

  // The same as `principal`, who reserved something, is told it: of others all together.
  v1::BudgetStatus BudgetSeenBy(const std::string& principal) const {
    v1::BudgetStatus status = Budget();
    for (const v1::PrincipalBudget& one : status.principals()) {
      if (one.principal() == principal) *status.mutable_own() = one;
    }
    status.clear_principals();
    return status;
  }

  std::vector<v1::LedgerEntry>& entries() { return entries_; }

  // What `principal` may see: others' events as commitments only.
  std::vector<v1::LedgerEntry> SeenBy(const std::string& principal) const {
    std::vector<v1::LedgerEntry> seen = entries_;
    for (v1::LedgerEntry& entry : seen) {
      v1::LedgerEvent event;
      event.ParseFromString(entry.event());
      if (event.principal().empty() || event.principal() == principal) continue;
      entry.clear_event();
      entry.clear_salt();
    }
    return seen;
  }

 private:
  template <typename Message>
  void State(Message& message) const {
    StatePolicy(policy_.spec(), message);
  }

  accountant::AdmissionPolicy policy_;
  accountant::CostVector spent_;
  std::map<std::string, accountant::CostVector> spent_by_;
  std::map<std::string, accountant::PlanCost> plans_;
  v1::BudgetSum sum_;
  std::string budget_id_;
  std::string head_ = proto::GenesisHead();
  std::vector<v1::LedgerEntry> entries_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_CHAIN_BUILDER_H_
