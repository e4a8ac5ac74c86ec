#include "server/ledger/policy_record.h"

#include <string>
#include <variant>

#include "base/status_macros.h"

namespace topicwall::ledger {
namespace {

v1::FilterRecord RecordOfFilter(const accountant::FilterSpec& spec) {
  v1::FilterRecord record;
  record.set_epsilon(spec.budget.epsilon);
  record.set_delta(spec.budget.delta);
  record.mutable_orders()->Assign(spec.orders.begin(), spec.orders.end());
  record.mutable_weights()->Assign(spec.weights.begin(), spec.weights.end());
  record.set_fixed_point_bits(spec.fixed_point_bits);
  record.set_gaussian_weight(spec.gaussian_weight);
  return record;
}

v1::InventoryRecord RecordOfInventory(const accountant::InventorySpec& spec) {
  v1::InventoryRecord record;
  record.set_epsilon(spec.budget.epsilon);
  record.set_delta(spec.budget.delta);
  for (const accountant::VoucherKind& kind : spec.kinds) {
    v1::VoucherKindRecord* added = record.add_kinds();
    added->set_noise_multiplier(kind.noise_multiplier);
    added->set_sampling_rate(kind.sampling_rate);
    added->set_count(kind.count);
  }
  return record;
}

accountant::FilterSpec SpecOf(const v1::FilterRecord& record) {
  return accountant::FilterSpec{.budget = {.epsilon = record.epsilon(), .delta = record.delta()},
                                .orders = {record.orders().begin(), record.orders().end()},
                                .weights = {record.weights().begin(), record.weights().end()},
                                .fixed_point_bits = record.fixed_point_bits(),
                                .gaussian_weight = record.gaussian_weight()};
}

accountant::InventorySpec SpecOf(const v1::InventoryRecord& record) {
  accountant::InventorySpec spec = {
      .budget = {.epsilon = record.epsilon(), .delta = record.delta()}, .kinds = {}};
  for (const v1::VoucherKindRecord& kind : record.kinds()) {
    spec.kinds.push_back({.noise_multiplier = kind.noise_multiplier(),
                          .sampling_rate = kind.sampling_rate(),
                          .count = kind.count()});
  }
  return spec;
}

template <typename Message>
void SetIn(const v1::PolicyRecord& record, Message* message) {
  if (record.has_filter()) *message->mutable_filter() = record.filter();
  if (record.has_inventory()) *message->mutable_inventory() = record.inventory();
}

}  // namespace

v1::PolicyRecord RecordOf(const accountant::PolicySpec& spec) {
  v1::PolicyRecord record;
  if (const auto* filter = std::get_if<accountant::FilterSpec>(&spec)) {
    *record.mutable_filter() = RecordOfFilter(*filter);
  } else {
    *record.mutable_inventory() = RecordOfInventory(std::get<accountant::InventorySpec>(spec));
  }
  return record;
}

v1::PolicyRecord RecordOf(const v1::BudgetOpened& act) {
  v1::PolicyRecord record;
  if (act.has_filter()) *record.mutable_filter() = act.filter();
  if (act.has_inventory()) *record.mutable_inventory() = act.inventory();
  return record;
}

void SetPolicy(const v1::PolicyRecord& record, v1::BudgetOpened* act) { SetIn(record, act); }
void SetPolicy(const v1::PolicyRecord& record, v1::BudgetStatus* status) { SetIn(record, status); }

absl::StatusOr<accountant::AdmissionPolicy> PolicyOf(const v1::PolicyRecord& record) {
  switch (record.policy_case()) {
    case v1::PolicyRecord::kFilter:
      return accountant::AdmissionPolicy::Create(SpecOf(record.filter()));
    case v1::PolicyRecord::kInventory:
      return accountant::AdmissionPolicy::Create(SpecOf(record.inventory()));
    case v1::PolicyRecord::POLICY_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("the record holds neither a filter nor an inventory.");
}

absl::StatusOr<accountant::AdmissionPolicy> PolicyOfBytes(absl::string_view bytes) {
  v1::PolicyRecord record;
  if (!record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError("the ledger holds an unreadable policy.");
  }
  absl::StatusOr<accountant::AdmissionPolicy> policy = PolicyOf(record);
  if (!policy.ok()) return absl::DataLossError("the ledger holds a policy that is none.");
  return policy;
}

absl::StatusOr<accountant::DpEvent> EventOf(const v1::PlanReserved& act) {
  accountant::SubsampledGaussian::Params params{.sampling_rate = act.sampling_rate(),
                                                .noise_multipliers = {act.noise_multiplier()}};
  if (act.has_histogram_noise_multiplier()) {
    params.noise_multipliers.push_back(act.histogram_noise_multiplier());
  }
  TW_ASSIGN_OR_RETURN(const accountant::SubsampledGaussian release,
                      accountant::SubsampledGaussian::Create(params));
  return accountant::DpEvent{.release = release, .count = act.iterations()};
}

}  // namespace topicwall::ledger
