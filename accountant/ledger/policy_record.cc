// The record is the policy: every number as it was at the opening, doubles by their bits. Nothing
// is left to a default of this program, which another version might change; reading a record back
// makes the same filter, whose integers the chain's costs are counted in.
#include "accountant/ledger/policy_record.h"

#include <variant>

#include "base/status_macros.h"

namespace topicwall::accountant::ledger {
namespace {

FilterSpec SpecOf(const v1::FilterRecord& record) {
  return FilterSpec{.budget = {.epsilon = record.epsilon(), .delta = record.delta()},
                    .orders = {record.orders().begin(), record.orders().end()},
                    .weights = {record.weights().begin(), record.weights().end()},
                    .fixed_point_bits = record.fixed_point_bits(),
                    .gaussian_weight = record.gaussian_weight()};
}

InventorySpec SpecOf(const v1::InventoryRecord& record) {
  InventorySpec spec = {.budget = {.epsilon = record.epsilon(), .delta = record.delta()},
                        .kinds = {}};
  for (const v1::VoucherKindRecord& kind : record.kinds()) {
    spec.kinds.push_back({.noise_multiplier = kind.noise_multiplier(),
                          .sampling_rate = kind.sampling_rate(),
                          .count = kind.count()});
  }
  return spec;
}

void Set(const FilterSpec& spec, v1::FilterRecord& record) {
  record.set_epsilon(spec.budget.epsilon);
  record.set_delta(spec.budget.delta);
  record.mutable_orders()->Assign(spec.orders.begin(), spec.orders.end());
  record.mutable_weights()->Assign(spec.weights.begin(), spec.weights.end());
  record.set_fixed_point_bits(spec.fixed_point_bits);
  record.set_gaussian_weight(spec.gaussian_weight);
}

void Set(const InventorySpec& spec, v1::InventoryRecord& record) {
  record.set_epsilon(spec.budget.epsilon);
  record.set_delta(spec.budget.delta);
  for (const VoucherKind& kind : spec.kinds) {
    v1::VoucherKindRecord* added = record.add_kinds();
    added->set_noise_multiplier(kind.noise_multiplier);
    added->set_sampling_rate(kind.sampling_rate);
    added->set_count(kind.count);
  }
}

template <typename Message>
absl::StatusOr<AdmissionPolicy> PolicyIn(const Message& message) {
  if (message.has_filter()) return AdmissionPolicy::Create(SpecOf(message.filter()));
  if (message.has_inventory()) return AdmissionPolicy::Create(SpecOf(message.inventory()));
  return absl::InvalidArgumentError(
      "the budget states no policy that this version of topicwall knows.");
}

}  // namespace

void SetPolicy(const PolicySpec& spec, v1::BudgetOpened* act) {
  if (const auto* filter = std::get_if<FilterSpec>(&spec)) {
    Set(*filter, *act->mutable_filter());
  } else {
    Set(std::get<InventorySpec>(spec), *act->mutable_inventory());
  }
}

absl::StatusOr<AdmissionPolicy> PolicyOf(const v1::BudgetOpened& act) { return PolicyIn(act); }
absl::StatusOr<AdmissionPolicy> PolicyOf(const v1::BudgetStatus& budget) {
  return PolicyIn(budget);
}

PrivacyParams PromiseOf(const v1::BudgetOpened& act) {
  if (act.has_filter()) {
    return {.epsilon = act.filter().epsilon(), .delta = act.filter().delta()};
  }
  return {.epsilon = act.inventory().epsilon(), .delta = act.inventory().delta()};
}

// Few rules: what stands in a chain was admitted once, perhaps by wider ones.
absl::StatusOr<DpEvent> EventOf(const v1::ReleaseSpec& spec) {
  if (!spec.has_gaussian()) {
    return absl::InvalidArgumentError("the plan must name a mechanism; got none. Use gaussian.");
  }
  SubsampledGaussian::Params params{.sampling_rate = spec.sampling_rate(),
                                    .noise_multipliers = {spec.gaussian().noise_multiplier()}};
  // One release of two statistics from the same coins: priced together, as the one Gaussian they
  // are.
  if (spec.gaussian().has_histogram_noise_multiplier()) {
    params.noise_multipliers.push_back(spec.gaussian().histogram_noise_multiplier());
  }
  TW_ASSIGN_OR_RETURN(const SubsampledGaussian release, SubsampledGaussian::Create(params));
  return DpEvent{.release = release, .count = spec.iterations()};
}

}  // namespace topicwall::accountant::ledger
