// A store that asks another one for everything: for tests to change what they are about.
#ifndef TOPICWALL_TESTS_SERVER_STORE_FORWARDING_STORE_H_
#define TOPICWALL_TESTS_SERVER_STORE_FORWARDING_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/wall.pb.h"
#include "server/store/event_store.h"

namespace topicwall::testing {

class ForwardingStore : public store::EventStore {
 public:
  explicit ForwardingStore(std::unique_ptr<store::EventStore> store) : store_(std::move(store)) {}

  absl::Status RequireInPlace() override { return store_->RequireInPlace(); }
  bool OthersWrite() const override { return store_->OthersWrite(); }
  absl::StatusOr<store::Identity> ReadIdentity() override { return store_->ReadIdentity(); }
  absl::StatusOr<std::vector<store::Chain>> Chains() override { return store_->Chains(); }
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEntries(absl::string_view budget_id,
                                                           int64_t first, int64_t limit) override {
    return store_->ReadEntries(budget_id, first, limit);
  }
  absl::StatusOr<std::vector<store::OpenCharge>> OpenCharges() override {
    return store_->OpenCharges();
  }
  absl::StatusOr<std::optional<store::PlanRecord>> FindPlan(absl::string_view plan_id) override {
    return store_->FindPlan(plan_id);
  }
  absl::StatusOr<std::optional<store::PlanRecord>> FindPlanByRequest(
      absl::string_view principal, absl::string_view request_id) override {
    return store_->FindPlanByRequest(principal, request_id);
  }
  absl::StatusOr<std::optional<std::string>> ReadBlob(absl::string_view sha256,
                                                      int64_t part) override {
    return store_->ReadBlob(sha256, part);
  }
  absl::Status Append(const store::Change& change) override { return store_->Append(change); }
  absl::Status CheckStructure() override { return store_->CheckStructure(); }

 private:
  const std::unique_ptr<store::EventStore> store_;
};

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SERVER_STORE_FORWARDING_STORE_H_
