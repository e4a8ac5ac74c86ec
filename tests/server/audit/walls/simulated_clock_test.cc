#include "server/audit/walls/simulated_clock.h"

#include <gtest/gtest.h>

#include <future>

namespace topicwall::audit {
namespace {

TEST(SimulatedClockTest, SleepingCostsNoPatience) {
  SimulatedClock clock;
  const int64_t start = clock.NowMs();
  EXPECT_TRUE(clock.SleepUntilMs(start + 3'600'000));
  EXPECT_EQ(clock.NowMs(), start + 3'600'000);
  EXPECT_TRUE(clock.SleepUntilMs(start));  // past: time does not go back
  EXPECT_EQ(clock.NowMs(), start + 3'600'000);
}

TEST(SimulatedClockTest, AHeldSleeperWaitsForItsInstantExactly) {
  SimulatedClock clock;
  clock.HoldSleepers();
  const int64_t instant = SimulatedClock::kStartMs + 1000;
  auto sleeper = std::async(std::launch::async, [&] { return clock.SleepUntilMs(instant); });
  ASSERT_TRUE(clock.WaitForSleeper());
  clock.AdvanceTo(instant - 1);
  EXPECT_EQ(sleeper.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  clock.AdvanceTo(instant);
  EXPECT_TRUE(sleeper.get());
}

TEST(SimulatedClockTest, LettingSleepersGoBringsThemToTheirInstant) {
  SimulatedClock clock;
  clock.HoldSleepers();
  const int64_t instant = SimulatedClock::kStartMs + 1000;
  auto sleeper = std::async(std::launch::async, [&] { return clock.SleepUntilMs(instant); });
  ASSERT_TRUE(clock.WaitForSleeper());
  clock.LetSleepersJump();
  EXPECT_TRUE(sleeper.get());
  EXPECT_EQ(clock.NowMs(), instant);
}

TEST(SimulatedClockTest, AnInterruptWakesSleepersWithFalseNowAndLater) {
  SimulatedClock clock;
  clock.HoldSleepers();
  auto sleeper =
      std::async(std::launch::async, [&] { return clock.SleepUntilMs(clock.NowMs() + 10); });
  ASSERT_TRUE(clock.WaitForSleeper());
  clock.Interrupt();
  EXPECT_FALSE(sleeper.get());
  EXPECT_FALSE(clock.SleepUntilMs(clock.NowMs() + 10));
}

TEST(SimulatedClockTest, ReadingsMayCostTimeAsWorkDoes) {
  SimulatedClock clock;
  clock.SetCostOfReading(7);
  const int64_t first = clock.NowMs();
  EXPECT_EQ(clock.NowMs(), first + 7);
}

}  // namespace
}  // namespace topicwall::audit
