#include "server/release/store_moment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace topicwall::release {
namespace {

constexpr int64_t kBegun = 1'800'000'000'000;
constexpr int64_t kInterval = 60'000;
constexpr int64_t kStoreTime = 1000;

// Sleeping takes no time, and ends late where a standstill begins before it is over.
class StoppedClock : public Clock {
 public:
  // From `at_ms` on, for `ms`.
  void StandStill(int64_t at_ms, int64_t ms) { standstill_ = {at_ms, ms}; }

  int64_t NowMs() override { return now_ms_; }
  void NeverBefore(int64_t /*instant_ms*/) override {}
  bool SleepUntilMs(int64_t instant_ms) override {
    if (interrupted_) return false;
    if (now_ms_ <= standstill_.first && standstill_.first < instant_ms) {
      now_ms_ = standstill_.first + std::exchange(standstill_.second, 0);
    }
    now_ms_ = std::max(now_ms_, instant_ms);
    return true;
  }
  void Interrupt() override { interrupted_ = true; }

 private:
  int64_t now_ms_ = kBegun;
  std::pair<int64_t, int64_t> standstill_ = {0, 0};
  bool interrupted_ = false;
};

class AwaitStoreMomentTest : public ::testing::Test {
 protected:
  // Of a release that is ready after `takes_ms`.
  StoreMoment Await(int64_t takes_ms) {
    return AwaitStoreMoment(clock_, schedule_, kBegun, kStoreTime,
                            {.ask =
                                 [&] {
                                   asked_ms_.push_back(clock_.NowMs() - kBegun);
                                   return clock_.NowMs() >= kBegun + takes_ms;
                                 },
                             .await = [&] { return clock_.SleepUntilMs(kBegun + takes_ms); }});
  }

  StoppedClock clock_;
  ReleaseSchedule schedule_ = ReleaseSchedule::Every(kInterval);
  std::vector<int64_t> asked_ms_;  // since the beginning
};

TEST_F(AwaitStoreMomentTest, LooksAtStoreMomentsAloneHoweverLongAReleaseTakes) {
  EXPECT_EQ(Await(3 * kInterval).level.intervals, 4);
  EXPECT_EQ(asked_ms_, (std::vector<int64_t>{59'000, 119'000, 239'000}));
}

TEST_F(AwaitStoreMomentTest, WhatTakesTooLongIsTooLateAndNoStandstill) {
  EXPECT_EQ(Await(100 * kInterval).outcome, StoreMoment::kTooLate);
  EXPECT_EQ(clock_.NowMs(), kBegun + 16 * kInterval - kStoreTime);
}

TEST_F(AwaitStoreMomentTest, AStandstillOverAStoreMomentIsToldBeforeAnybodyLooksAtTheRelease) {
  clock_.StandStill(kBegun + 100, 20 * kInterval);
  EXPECT_EQ(Await(0).outcome, StoreMoment::kStoodStill);
  EXPECT_TRUE(asked_ms_.empty());
}

TEST_F(AwaitStoreMomentTest, AStandstillThatIsOverBeforeTheStoreMomentChangesNothing) {
  clock_.StandStill(kBegun + 100, kInterval / 2);
  EXPECT_EQ(Await(kInterval / 2).level.intervals, 1);
}

// A slow charge, say. Whoever looked then would see how soon a computation was done that had hardly
// begun.
TEST_F(AwaitStoreMomentTest, NobodyLooksAtALevelThatHadPassedBeforeAnybodyCouldCompute) {
  clock_.SleepUntilMs(kBegun + kInterval);
  EXPECT_EQ(Await(0).level.intervals, 2);
  EXPECT_EQ(asked_ms_, (std::vector<int64_t>{119'000}));
}

TEST_F(AwaitStoreMomentTest, WhereAllLevelsHadPassedBeforeAnybodyCouldComputeItIsAStandstill) {
  clock_.SleepUntilMs(kBegun + 16 * kInterval);
  EXPECT_EQ(Await(0).outcome, StoreMoment::kStoodStill);
  EXPECT_TRUE(asked_ms_.empty());
}

TEST_F(AwaitStoreMomentTest, WithoutProtectionTheMomentIsWhenItIsReady) {
  schedule_ = ReleaseSchedule::Unprotected();
  const StoreMoment moment = Await(1234);
  EXPECT_EQ(moment.outcome, StoreMoment::kReady);
  EXPECT_EQ(moment.level.store_at_ms, kBegun + 1234);
}

TEST_F(AwaitStoreMomentTest, AnInterruptEndsIt) {
  clock_.Interrupt();
  EXPECT_EQ(Await(0).outcome, StoreMoment::kInterrupted);
  schedule_ = ReleaseSchedule::Unprotected();
  EXPECT_EQ(Await(0).outcome, StoreMoment::kInterrupted);
}

}  // namespace
}  // namespace topicwall::release
