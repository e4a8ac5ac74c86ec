// A policy as a wall states it, in a BudgetStatus or a BudgetOpened.
#ifndef TOPICWALL_TESTS_CLIENT_STATED_POLICY_H_
#define TOPICWALL_TESTS_CLIENT_STATED_POLICY_H_

#include "accountant/filters/admission_policy.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

template <typename Message>
void StatePolicy(const accountant::PolicySpec& spec, Message& message) {
  if (const auto* inventory = std::get_if<accountant::InventorySpec>(&spec)) {
    v1::InventoryRecord& record = *message.mutable_inventory();
    record.set_epsilon(inventory->budget.epsilon);
    record.set_delta(inventory->budget.delta);
    for (const accountant::VoucherKind& kind : inventory->kinds) {
      v1::VoucherKindRecord& added = *record.add_kinds();
      added.set_noise_multiplier(kind.noise_multiplier);
      added.set_sampling_rate(kind.sampling_rate);
      added.set_count(kind.count);
    }
    return;
  }
  const auto& filter = std::get<accountant::FilterSpec>(spec);
  v1::FilterRecord& record = *message.mutable_filter();
  record.set_epsilon(filter.budget.epsilon);
  record.set_delta(filter.budget.delta);
  record.mutable_orders()->Assign(filter.orders.begin(), filter.orders.end());
  record.mutable_weights()->Assign(filter.weights.begin(), filter.weights.end());
  record.set_fixed_point_bits(filter.fixed_point_bits);
  record.set_gaussian_weight(filter.gaussian_weight);
}

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_STATED_POLICY_H_
