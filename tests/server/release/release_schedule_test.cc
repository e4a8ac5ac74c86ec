#include "server/release/release_schedule.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace topicwall::release {
namespace {

TEST(ReleaseScheduleTest, EveryComputationShorterThanTheIntervalEndsAtTheSameInstant) {
  const ReleaseSchedule schedule = ReleaseSchedule::Every(1000);
  for (int64_t took = 0; took < 1000; ++took) {
    const auto instant = schedule.ReadableAt(5000, 5000 + took);
    EXPECT_EQ(instant.readable_at_ms, 6000) << took;
    EXPECT_EQ(instant.intervals, 1) << took;
  }
}

TEST(ReleaseScheduleTest, AnOverrunWaitsForTheNextWholeInterval) {
  const ReleaseSchedule schedule = ReleaseSchedule::Every(1000);
  EXPECT_EQ(schedule.ReadableAt(5000, 6000).readable_at_ms, 7000);
  EXPECT_EQ(schedule.ReadableAt(5000, 6000).intervals, 2);
  EXPECT_EQ(schedule.ReadableAt(5000, 8999).readable_at_ms, 9000);
  EXPECT_EQ(schedule.ReadableAt(5000, 8999).intervals, 4);
}

TEST(ReleaseScheduleTest, AReadableInstantIsNeverInThePast) {
  const ReleaseSchedule schedule = ReleaseSchedule::Every(7);
  for (int64_t now = 100; now < 200; ++now) {
    EXPECT_GT(schedule.ReadableAt(100, now).readable_at_ms, now);
  }
}

TEST(ReleaseScheduleTest, AClockSetBackBehindTheChargeStillWaitsOneInterval) {
  const auto instant = ReleaseSchedule::Every(1000).ReadableAt(5000, 1000);
  EXPECT_EQ(instant.readable_at_ms, 6000);
  EXPECT_EQ(instant.intervals, 1);
}

TEST(ReleaseScheduleTest, AServerThatWasDownForYearsDoesNotWrapTheCount) {
  const auto instant = ReleaseSchedule::Every(50).ReadableAt(0, int64_t{1} << 50);
  EXPECT_GT(instant.intervals, 1);
  EXPECT_GT(instant.readable_at_ms, int64_t{1} << 50);
}

TEST(ReleaseScheduleTest, WithoutProtectionAReleaseIsReadableWhenItIsStored) {
  const auto instant = ReleaseSchedule::Unprotected().ReadableAt(5000, 5123);
  EXPECT_EQ(instant.readable_at_ms, 5123);
  EXPECT_EQ(instant.intervals, 0);
}

}  // namespace
}  // namespace topicwall::release
