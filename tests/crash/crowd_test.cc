// Two hundred analysts at once, each with a connection of its own, who together ask for more
// than the budget holds.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "proto/budget_refusal.h"
#include "proto/matrix_codec.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

constexpr int kAnalysts = 200;
constexpr double kEpsilon = 5;
constexpr double kNoiseMultiplier = 8;  // about 57 releases fit, whoever asks for them
constexpr std::chrono::seconds kPatience{120};
constexpr std::array<const char*, 3> kNames = {"alice", "carol", "dave"};

class CrowdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    plan_ = world_.Plan(kNoiseMultiplier, 1);
  }

  // One plan of one iteration, from the first connection to the last byte.
  void LiveAsAnalyst(int number) {
    const std::string name = kNames[static_cast<size_t>(number) % kNames.size()];
    const auto stub = world_.StubOnItsOwn(name);
    std::string id = absl::StrCat(number, "-");
    id.resize(16, 'c');
    const auto plan = Patiently([&] { return WallWorld::Reserve(*stub, plan_, id); });
    if (!plan.ok()) {
      EXPECT_TRUE(proto::BudgetExhaustedOf(plan.status()).has_value()) << plan.status();
      ++refused_;
      return;
    }
    const v1::RunReleaseHeader header = WallWorld::Header(plan->plan_id(), 1, topics_);
    const auto release = Patiently([&] { return WallWorld::RunRelease(*stub, header, topics_); });
    ASSERT_OK(release);
    ++released_;
    ASSERT_OK_AND_ASSIGN(const auto values, proto::FloatsFromLittleEndian(release->statistics));
    EXPECT_EQ(release->header.statistics_sha256(),
              base::DigestBytes(proto::DigestOfFloats(values)));
    // 300 documents at clip norm 4 give at least 1200 words in total (release_test.cc) under noise
    // of 32·sqrt(90) = 304: below -1000 is a 7.2-sigma event, 1e-10 for all of them.
    double total = 0;
    for (const float value : values) total += value;
    EXPECT_GT(total, -1000);
    EXPECT_LT(total, 2400 + 2200);  // no more words than there are, and 7.2 sigma
    ASSERT_OK_AND_ASSIGN(const auto again, WallWorld::GetRelease(*stub, plan->plan_id(), 1));
    EXPECT_EQ(again.statistics, release->statistics);
  }

  // Again as long as the answer is UNAVAILABLE, which is before anything was charged.
  template <typename Ask>
  auto Patiently(const Ask& ask) -> decltype(ask()) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      auto answer = ask();
      if (!absl::IsUnavailable(answer.status()) || std::chrono::steady_clock::now() > deadline) {
        return answer;
      }
      ++waits_;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

  WallWorld world_{{.epsilon = kEpsilon,
                    .more_analysts = {"carol", "dave"},
                    .timing_protection = false,
                    .queue_length = 8}};
  v1::ReleaseSpec plan_;
  const std::vector<float> topics_ = WallWorld::LogTopics();
  std::atomic<int> refused_ = 0, released_ = 0, waits_ = 0;
};

TEST_F(CrowdTest, EachIsAnsweredRightOrRefusedAndTheBudgetHolds) {
  const int64_t before = world_.server().StatusField("VmRSS:");
  std::vector<std::thread> analysts;
  for (int number = 0; number < kAnalysts; ++number) {
    analysts.emplace_back([this, number] { LiveAsAnalyst(number); });
  }
  for (std::thread& analyst : analysts) analyst.join();
  EXPECT_EQ(released_ + refused_, kAnalysts);
  EXPECT_GT(released_, 20);
  EXPECT_GT(refused_, 20) << "the budget must be too small for all, or nothing is shown";

  const auto auditor = world_.StubOf("ann");
  ASSERT_OK_AND_ASSIGN(const auto budget, WallWorld::Budget(*auditor));
  EXPECT_LE(budget.epsilon_spent(), kEpsilon);
  // Opening, corpus; then reserved, charged, published for each that was released, and no more.
  EXPECT_EQ(budget.events(), 2 + 3 * released_);
  // One more of the same does not fit.
  EXPECT_FALSE(WallWorld::Reserve(*world_.StubOf("alice"), plan_, std::string(16, 'z')).ok());
  const int64_t peak = world_.server().StatusField("VmHWM:");
  EXPECT_LT(peak - before, 256 * 1024) << "KiB for " << kAnalysts << " analysts";
}

}  // namespace
}  // namespace topicwall::testing
