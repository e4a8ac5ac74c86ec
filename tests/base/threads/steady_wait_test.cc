#include "base/threads/steady_wait.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <thread>

#include "tests/support/clock/clock_set_back.h"

namespace topicwall::base {
namespace {

TEST(SteadyWaitTest, AWaitEndsInTimeThoughTheClockIsSetBack) {
  const testing::ClockSetBack set_back;
  SteadyNotification never;
  auto waiting =
      std::async(std::launch::async, [&] { return never.WaitFor(absl::Milliseconds(1)); });
  EXPECT_EQ(waiting.wait_for(std::chrono::seconds(60)), std::future_status::ready)
      << "it waits until the clock is where it was";
  never.Notify();
  EXPECT_FALSE(waiting.get());
}

TEST(SteadyWaitTest, WhoWaitsForEverIsWoken) {
  SteadyNotification told, heard;
  std::thread waiting([&] {
    EXPECT_TRUE(told.WaitFor(absl::InfiniteDuration()));
    heard.Notify();
  });
  EXPECT_FALSE(heard.HasBeenNotified());
  told.Notify();
  EXPECT_TRUE(heard.WaitFor(absl::InfiniteDuration()));
  waiting.join();
  EXPECT_TRUE(told.WaitFor(-absl::InfiniteDuration())) << "what was is known without a wait";
}

}  // namespace
}  // namespace topicwall::base
