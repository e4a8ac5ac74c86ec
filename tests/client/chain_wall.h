// A wall that shows the chain of a ChainBuilder, with signed heads if it has a press, and counts
// what would spend; for tests that put the chain back, or fork it.
#ifndef TOPICWALL_TESTS_CLIENT_CHAIN_WALL_H_
#define TOPICWALL_TESTS_CLIENT_CHAIN_WALL_H_

#include <functional>
#include <string>
#include <vector>

#include "client/wall/wall_port.h"
#include "tests/client/chain_builder.h"
#include "tests/client/receipt_press.h"

namespace topicwall::client {

// That the budget of ChainBuilder had this entry last.
inline v1::SignedHead SignedHeadOf(const ReceiptPress& press, const v1::LedgerEntry& last) {
  v1::HeadStatement statement;
  statement.set_custodian_id("test-custodian");
  statement.set_budget_id("budget");
  statement.set_sequence(last.sequence());
  statement.set_head(last.head());
  return press.SignHead(statement);
}

class ChainWall : public WallPort {
 public:
  ChainWall() {
    description.set_corpus("notes");
    description.set_corpus_version("version 1");
    description.set_state(v1::CORPUS_STATE_OPEN);
    description.set_privacy_unit(v1::PRIVACY_UNIT_DOCUMENT);
    Open(chain.policy());
  }

  // Another budget, of which nothing is spent.
  void Open(const accountant::AdmissionPolicy& policy) {
    chain = ChainBuilder(policy);
    description.set_epsilon(policy.budget().epsilon);
    description.set_delta(policy.budget().delta);
  }

  absl::StatusOr<v1::CorpusDescription> DescribeCorpus(absl::string_view) override {
    ++calls;
    if (!refusal.ok()) return refusal;
    return description;
  }
  absl::StatusOr<std::vector<std::string>> GetVocabulary(absl::string_view, int64_t) override {
    ++calls;
    return std::vector<std::string>();
  }
  absl::StatusOr<v1::PlanPrice> PricePlan(const v1::ReleaseSpec&) override {
    ++calls;
    return v1::PlanPrice();
  }
  absl::StatusOr<v1::PlanState> ReservePlan(const v1::ReservePlanRequest& request) override {
    ++spending_calls;
    v1::PlanState state = PlanOf("plan");
    *state.mutable_plan() = request.plan();
    return state;
  }
  absl::StatusOr<v1::PlanState> CancelPlan(absl::string_view id) override {
    ++spending_calls;
    return PlanOf(id);
  }
  absl::StatusOr<v1::PlanState> GetPlan(absl::string_view id) override { return PlanOf(id); }
  absl::StatusOr<std::vector<v1::PlanState>> ListPlans(absl::string_view) override {
    std::vector<v1::PlanState> states;
    for (const std::string& id : plans) states.push_back(PlanOf(id));
    return states;
  }
  absl::StatusOr<Release> RunRelease(const v1::RunReleaseHeader&, absl::Span<const float>,
                                     const ReleaseShape&) override {
    ++spending_calls;
    return Release();
  }
  absl::StatusOr<Release> GetRelease(absl::string_view, int32_t, const ReleaseShape&) override {
    ++calls;
    return Release();
  }
  absl::StatusOr<v1::BudgetStatus> GetBudget(absl::string_view) override {
    ++calls;
    if (budget) return budget();
    return chain.Budget();
  }
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadLedger(absl::string_view,
                                                          int64_t first) override {
    first_read = first;
    if (before_read) before_read();
    std::vector<v1::LedgerEntry> entries;
    for (const v1::LedgerEntry& entry : chain.entries()) {
      if (entry.sequence() >= first) entries.push_back(entry);
    }
    if (press != nullptr && !entries.empty()) {
      *entries.back().mutable_signed_head() = SignedHeadOf(*press, entries.back());
    }
    if (spoil) spoil(entries);
    return entries;
  }

  ChainBuilder chain;
  v1::CorpusDescription description;
  std::vector<std::string> plans = {"plan"};
  const ReceiptPress* press = nullptr;
  absl::Status refusal;  // of DescribeCorpus
  std::function<void()> before_read;
  std::function<void(std::vector<v1::LedgerEntry>&)> spoil;
  std::function<v1::BudgetStatus()> budget;
  int calls = 0;           // that spend nothing; looks at the chain aside
  int spending_calls = 0;  // ReservePlan, CancelPlan, RunRelease
  int64_t first_read = 0;

 private:
  v1::PlanState PlanOf(absl::string_view id) const {
    v1::PlanState state;
    state.set_plan_id(std::string(id));
    state.mutable_plan()->set_corpus(description.corpus());
    return state;
  }
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_CHAIN_WALL_H_
