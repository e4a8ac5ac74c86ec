#include "server/release/release_schedule.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace topicwall::release {
namespace {

constexpr int64_t kStore = 100;

TEST(ReleaseScheduleTest, EveryComputationThatIsInTimeEndsAtTheSameInstant) {
  const ReleaseSchedule schedule = ReleaseSchedule::Every(1000);
  for (const int64_t took : {0, 1, 500, 899}) {
    const auto instant = schedule.InTime(5000, 5000 + took, kStore);
    ASSERT_TRUE(instant.has_value());
    EXPECT_EQ(instant->store_at_ms, 5900) << took;
    EXPECT_EQ(instant->readable_at_ms, 6000) << took;
    EXPECT_EQ(instant->intervals, 1) << took;
  }
}

TEST(ReleaseScheduleTest, AnOverrunWaitsForTheNextOfFiveLevels) {
  const ReleaseSchedule schedule = ReleaseSchedule::Every(1000);
  int64_t took = 900;  // one level's store moment is too late for it
  for (const int intervals : {2, 4, 8, 16}) {
    const auto instant = schedule.InTime(5000, 5000 + took, kStore);
    ASSERT_TRUE(instant.has_value());
    EXPECT_EQ(instant->intervals, intervals);
    EXPECT_EQ(instant->readable_at_ms, 5000 + 1000 * intervals);
    EXPECT_EQ(instant->store_at_ms, instant->readable_at_ms - kStore);
    took = 1000 * intervals - kStore;
  }
  EXPECT_FALSE(schedule.InTime(5000, 5000 + took, kStore).has_value()) << "m is never above 16";
  EXPECT_FALSE(schedule.InTime(0, int64_t{1} << 50, kStore).has_value());
}

TEST(ReleaseScheduleTest, WhateverFailsIsToldAtTheLastLevel) {
  const ReleaseSchedule schedule = ReleaseSchedule::Every(1000);
  for (const int64_t now : {5001, 9000, 30000}) {
    EXPECT_EQ(schedule.Last(5000, now, kStore).readable_at_ms, 21000);
    EXPECT_EQ(schedule.Last(5000, now, kStore).store_at_ms, 20900);
  }
}

TEST(ReleaseScheduleTest, AStoreMomentIsNeverInThePast) {
  const ReleaseSchedule schedule = ReleaseSchedule::Every(70);
  for (int64_t now = 100; now < 1100; ++now) {
    EXPECT_GT(schedule.InTime(100, now, 7)->store_at_ms, now);
  }
}

TEST(ReleaseScheduleTest, AClockSetBackBehindTheChargeStillWaitsOneInterval) {
  const auto instant = ReleaseSchedule::Every(1000).InTime(5000, 1000, kStore);
  EXPECT_EQ(instant->readable_at_ms, 6000);
  EXPECT_EQ(instant->intervals, 1);
}

TEST(ReleaseScheduleTest, TheStoreTimeIsAFunctionOfTheSizeAndAtMostHalfAnInterval) {
  const ReleaseSchedule schedule = ReleaseSchedule::Every(10000, 50);
  EXPECT_EQ(schedule.StoreMs(0), 30);
  EXPECT_EQ(schedule.StoreMs(1), 80);
  EXPECT_EQ(schedule.StoreMs(1 << 20), 80);
  EXPECT_EQ(schedule.StoreMs((1 << 20) + 1), 130);
  EXPECT_EQ(schedule.StoreMs(int64_t{1} << 40), 5000);
  EXPECT_EQ(ReleaseSchedule::Every(50).StoreMs(1), 25);
}

TEST(ReleaseScheduleTest, ActsAreAnsweredAtMultiplesOfTenMilliseconds) {
  const ReleaseSchedule schedule = ReleaseSchedule::Every(1000);
  EXPECT_EQ(schedule.AnsweredAt(12340), 12350);
  EXPECT_EQ(schedule.AnsweredAt(12341), 12350);
  EXPECT_EQ(schedule.AnsweredAt(12349), 12350);
  EXPECT_EQ(ReleaseSchedule::Unprotected().AnsweredAt(12341), 12341);
}

TEST(ReleaseScheduleTest, WithoutProtectionAReleaseIsReadableWhenItIsReady) {
  const ReleaseSchedule schedule = ReleaseSchedule::Unprotected();
  const auto instant = schedule.InTime(5000, 5123, schedule.StoreMs(1 << 30));
  EXPECT_EQ(instant->store_at_ms, 5123);
  EXPECT_EQ(instant->readable_at_ms, 5123);
  EXPECT_EQ(instant->intervals, 0);
  EXPECT_EQ(schedule.Last(5000, 5200, 0).readable_at_ms, 5200);
  EXPECT_EQ(schedule.interval_ms(), 0);
}

}  // namespace
}  // namespace topicwall::release
