// A wall of which an analyst sees the own entries alone.
#ifndef TOPICWALL_TESTS_CLIENT_SEEN_WALL_H_
#define TOPICWALL_TESTS_CLIENT_SEEN_WALL_H_

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/client/chain_wall.h"

namespace topicwall::client {

// As an analyst sees it, with the receipts that show what everybody had spent. An empty name sees
// all.
class SeenWall : public ChainWall {
 public:
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view,
                                                          int64_t first) override {
    std::vector<v1::LedgerEntry> seen = reader.empty() ? chain.entries() : chain.SeenBy(reader);
    const auto passed = std::clamp(first - 1, int64_t{0}, static_cast<int64_t>(seen.size()));
    seen.erase(seen.begin(), seen.begin() + passed);
    return seen;
  }
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view id) override {
    v1::PlanState state = states[std::string(id)];
    state.set_plan_id(std::string(id));
    state.mutable_plan()->set_corpus(description.corpus());
    return state;
  }

  void Reserve(const std::string& principal, const std::string& id, double noise, int iterations) {
    chain.Reserve(principal, id, noise, iterations);
    *states[id].mutable_reservation_receipt() = Receipt();
  }
  void Cancel(const std::string& principal, const std::string& id, int returned) {
    chain.Cancel(principal, id, returned);
    *states[id].mutable_cancellation_receipt() = Receipt();
  }

  std::string reader;
  std::map<std::string, v1::PlanState> states;

 private:
  v1::SignedReceipt Receipt() {
    const v1::BudgetStatus told = chain.Budget();
    v1::Receipt receipt;
    receipt.mutable_entry()->set_sequence(told.events());
    *receipt.mutable_spent() = told.spent();
    v1::SignedReceipt signed_receipt;
    signed_receipt.set_receipt(receipt.SerializeAsString());
    return signed_receipt;
  }
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_SEEN_WALL_H_
