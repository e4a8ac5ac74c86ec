#include "server/vault/lines/pricing_gate.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "tests/support/status_matchers.h"

namespace topicwall::server {

struct PricingGateTestPeer {
  static size_t Waiting(PricingGate& gate) {
    absl::MutexLock lock(&gate.mutex_);
    return gate.line_.size();
  }
};

namespace {

using ::topicwall::testing::StatusIs;

bool Never() { return false; }

class PricingGateTest : public ::testing::Test {
 protected:
  ~PricingGateTest() override {
    for (std::thread& thread : threads_) thread.join();
  }
  // A call that notes its principal when it has its turn.
  void Ask(const std::string& principal, const Cancelled& cancelled = Never) {
    threads_.emplace_back([this, principal, cancelled] {
      const absl::StatusOr<PricingGate::Turn> turn = gate_.Enter(principal, cancelled);
      absl::MutexLock lock(&mutex_);
      (turn.ok() ? served_ : sent_away_).push_back(principal);
    });
  }
  void WaitForLine(size_t length) {
    while (PricingGateTestPeer::Waiting(gate_) != length) std::this_thread::yield();
  }

  PricingGate gate_;
  absl::Mutex mutex_;
  std::vector<std::string> served_, sent_away_;
  std::vector<std::thread> threads_;
};

TEST_F(PricingGateTest, APrincipalWithAFullLineIsSentAwayAndOthersAreNot) {
  ASSERT_OK_AND_ASSIGN(auto running, gate_.Enter("bob", Never));
  Ask("bob");
  Ask("bob");
  WaitForLine(PricingGate::kWaitingOfPrincipal);
  EXPECT_THAT(gate_.Enter("bob", Never), StatusIs(absl::StatusCode::kUnavailable));
  Ask("alice");
  WaitForLine(3);
  { const PricingGate::Turn last = std::move(running); }
}

TEST_F(PricingGateTest, TheLineOfAllTogetherIsBounded) {
  ASSERT_OK_AND_ASSIGN(auto running, gate_.Enter("bob", Never));
  for (int i = 0; i < PricingGate::kWaiting; ++i) Ask("analyst " + std::to_string(i));
  WaitForLine(PricingGate::kWaiting);
  EXPECT_THAT(gate_.Enter("alice", Never), StatusIs(absl::StatusCode::kUnavailable));
  { const PricingGate::Turn last = std::move(running); }
}

TEST_F(PricingGateTest, TheNextTurnIsOfWhoHadTheirsLongestAgo) {
  ASSERT_OK_AND_ASSIGN(auto running, gate_.Enter("bob", Never));
  Ask("bob");
  WaitForLine(1);
  Ask("bob");
  WaitForLine(2);
  Ask("alice");
  WaitForLine(3);
  { const PricingGate::Turn last = std::move(running); }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  EXPECT_EQ(served_, (std::vector<std::string>{"alice", "bob", "bob"}));
}

TEST_F(PricingGateTest, WhoWentAwayLeavesTheLine) {
  ASSERT_OK_AND_ASSIGN(auto running, gate_.Enter("bob", Never));
  EXPECT_THAT(gate_.Enter("bob", [] { return true; }), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(PricingGateTestPeer::Waiting(gate_), 0u);
}

TEST_F(PricingGateTest, AClosedGateSendsAwayWhoWaitsAndWhoComes) {
  ASSERT_OK_AND_ASSIGN(auto running, gate_.Enter("bob", Never));
  Ask("alice");
  WaitForLine(1);
  gate_.Close();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  EXPECT_EQ(sent_away_, (std::vector<std::string>{"alice"}));
  EXPECT_THAT(gate_.Enter("ann", Never), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::server
