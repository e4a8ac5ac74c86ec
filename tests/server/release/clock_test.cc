#include "server/release/clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

namespace topicwall::release {
namespace {

constexpr int64_t kHour = 3600 * 1000;
constexpr int64_t kNoon = 1795262400000;  // 2026-11-21 12:00 UTC

// A wall clock that can be set, beside a steady clock that nobody can.
class ClockTest : public ::testing::Test {
 protected:
  std::unique_ptr<Clock> Start() {
    return MakeClock({.wall_ms = [this] { return wall_ms_.load(); },
                      .steady_ms = [this] { return steady_ms_.load(); }});
  }
  void Pass(int64_t milliseconds) {
    steady_ms_ += milliseconds;
    wall_ms_ += milliseconds;
  }

  std::atomic<int64_t> steady_ms_{5000};
  std::atomic<int64_t> wall_ms_{kNoon};
};

TEST_F(ClockTest, StartsAtTheWallClockAndGoesOnWithTheSteadyOne) {
  const auto clock = Start();
  EXPECT_EQ(clock->NowMs(), kNoon);
  Pass(1234);
  EXPECT_EQ(clock->NowMs(), kNoon + 1234);
}

TEST_F(ClockTest, AWallClockThatIsSetMovesNothing) {
  const auto clock = Start();
  for (const int64_t jump : {5 * kHour, -9 * kHour, 24 * 365 * kHour}) {
    wall_ms_ += jump;
    const int64_t before = clock->NowMs();
    Pass(10);
    EXPECT_EQ(clock->NowMs(), before + 10) << jump;
  }
}

TEST_F(ClockTest, ASleeperIsNotWokenByAWallClockSetForward) {
  const auto clock = Start();
  std::atomic<bool> awake = false;
  std::thread sleeper([&] {
    EXPECT_TRUE(clock->SleepUntilMs(kNoon + kHour));
    awake = true;
  });
  wall_ms_ += 7 * kHour;
  // Longer than the pieces that waits are cut into, so the sleeper has looked again.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_FALSE(awake);
  Pass(kHour);
  sleeper.join();
}

// A release would be readable before its instant, and its time in the ledger.
TEST(SleepTest, AMillisecondBeforeTheInstantIsTooEarly) {
  int64_t steady_ms = 0, asked = 0;
  const auto clock = MakeClock({.wall_ms = [] { return kNoon; },
                                .steady_ms =
                                    [&] {
                                      if (++asked == 2) steady_ms = 59;  // where the sleeper looks
                                      if (asked > 2) steady_ms = 60;
                                      return steady_ms;
                                    }});
  EXPECT_TRUE(clock->SleepUntilMs(kNoon + 60));
  EXPECT_EQ(steady_ms, 60);
}

TEST_F(ClockTest, ASleeperIsNotHeldUpByAWallClockSetBack) {
  const auto clock = Start();
  std::thread sleeper([&] { EXPECT_TRUE(clock->SleepUntilMs(kNoon + 60)); });
  wall_ms_ -= 7 * kHour;
  Pass(60);
  sleeper.join();  // within a piece; a test that hangs here has found the defect
}

TEST_F(ClockTest, ARestartWithAClockSetBackGoesOnWhereTheLedgerEnds) {
  const auto before = Start();
  Pass(kHour);
  const int64_t last = before->NowMs();
  wall_ms_ -= 9 * kHour;
  const auto after = Start();
  EXPECT_LT(after->NowMs(), last);
  after->NeverBefore(last);
  EXPECT_EQ(after->NowMs(), last);
  Pass(10);
  EXPECT_EQ(after->NowMs(), last + 10);
  after->NeverBefore(last);  // long past: no change
  EXPECT_EQ(after->NowMs(), last + 10);
}

TEST_F(ClockTest, InterruptWakesSleepersNowAndLater) {
  const auto clock = Start();
  std::thread sleeper([&] { EXPECT_FALSE(clock->SleepUntilMs(kNoon + kHour)); });
  clock->Interrupt();
  sleeper.join();
  EXPECT_FALSE(clock->SleepUntilMs(kNoon + kHour));
}

TEST(SystemClockTest, IsTheMachinesTime) {
  const int64_t wall = std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
  EXPECT_NEAR(static_cast<double>(SystemClock().NowMs()), static_cast<double>(wall), 60000);
  const int64_t now = SystemClock().NowMs();
  EXPECT_TRUE(SystemClock().SleepUntilMs(now + 5));
  EXPECT_GE(SystemClock().NowMs(), now + 5);
}

}  // namespace
}  // namespace topicwall::release
