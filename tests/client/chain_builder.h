// A ledger as an honest wall would send it, made event by event, for tests that then spoil it.
#ifndef TOPICWALL_TESTS_CLIENT_CHAIN_BUILDER_H_
#define TOPICWALL_TESTS_CLIENT_CHAIN_BUILDER_H_

#include <map>
#include <string>
#include <vector>

#include "accountant/budget_filter.h"
#include "client/enforced_price.h"
#include "proto/ledger.pb.h"
#include "proto/ledger_chain.h"
#include "proto/topicwall.pb.h"

namespace topicwall::client {

class ChainBuilder {
 public:
  ChainBuilder()
      : filter_(*accountant::BudgetFilter::Create(
            *accountant::BudgetFilter::DefaultSpec({.epsilon = 2.44, .delta = 1e-6}))),
        spent_(filter_.NothingSpent()) {
    v1::LedgerEvent opened;
    *opened.mutable_budget_opened()->mutable_filter() = Record();
    Append(opened);
    v1::LedgerEvent joined;
    joined.mutable_corpus_joined()->set_corpus("notes");
    Append(joined);
  }

  const accountant::BudgetFilter& filter() const { return filter_; }

  v1::FilterRecord Record() const {
    v1::FilterRecord record;
    const accountant::FilterSpec& spec = filter_.spec();
    record.set_epsilon(spec.budget.epsilon);
    record.set_delta(spec.budget.delta);
    record.mutable_orders()->Assign(spec.orders.begin(), spec.orders.end());
    record.mutable_weights()->Assign(spec.weights.begin(), spec.weights.end());
    record.set_fixed_point_bits(spec.fixed_point_bits);
    return record;
  }

  // Without keeping the sums: for events that an honest wall would not write.
  void Append(v1::LedgerEvent event) {
    event.set_sequence(static_cast<int64_t>(entries_.size()) + 1);
    event.set_budget_id("budget");
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
    plan.set_sampling_rate(1);
    plan.set_noise_multiplier(noise_multiplier);
    plan.set_iterations(iterations);
    return event;
  }

  accountant::CostVector CostOf(double noise_multiplier) const {
    return *filter_.CostPerRelease(*ReleaseOf(1, noise_multiplier, {}));
  }

  void Reserve(const std::string& principal, const std::string& plan_id, double noise_multiplier,
               int iterations) {
    v1::LedgerEvent event = Reserved(principal, plan_id, noise_multiplier, iterations);
    const accountant::CostVector cost = CostOf(noise_multiplier);
    event.mutable_plan_reserved()->mutable_cost()->Assign(cost.begin(), cost.end());
    spent_ = SpentAfter(spent_, cost, iterations);
    accountant::CostVector& own =
        spent_by_.try_emplace(principal, filter_.NothingSpent()).first->second;
    own = SpentAfter(own, cost, iterations);
    Append(event);
  }

  void Cancel(const std::string& principal, const std::string& plan_id, double noise_multiplier,
              int returned) {
    const accountant::CostVector cost = CostOf(noise_multiplier);
    spent_ = *filter_.Refund(spent_, cost, returned);
    spent_by_[principal] = *filter_.Refund(spent_by_[principal], cost, returned);
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
    Append(event);
  }

  void Publish(const std::string& principal, const std::string& plan_id, int iteration) {
    v1::LedgerEvent event;
    event.set_principal(principal);
    event.mutable_release_published()->set_plan_id(plan_id);
    event.mutable_release_published()->set_iteration(iteration);
    Append(event);
  }

  // GetBudget at this moment, as an auditor sees it.
  v1::BudgetStatus Budget() const {
    v1::BudgetStatus status;
    *status.mutable_filter() = Record();
    status.set_epsilon_total(filter_.spec().budget.epsilon);
    status.set_epsilon_spent(filter_.EpsilonUpperBound(spent_));
    status.mutable_spent()->Assign(spent_.begin(), spent_.end());
    status.set_events(static_cast<int64_t>(entries_.size()));
    status.set_chain_head(head_);
    for (const auto& [principal, spent] : spent_by_) {
      v1::PrincipalBudget& budget = *status.add_principals();
      budget.set_principal(principal);
      budget.set_epsilon_spent(filter_.EpsilonUpperBound(spent));
    }
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
  accountant::BudgetFilter filter_;
  accountant::CostVector spent_;
  std::map<std::string, accountant::CostVector> spent_by_;
  std::string head_ = proto::GenesisHead();
  std::vector<v1::LedgerEntry> entries_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_CHAIN_BUILDER_H_
