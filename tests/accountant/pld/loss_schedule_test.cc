#include "accountant/pld/loss_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace loss_schedule_test {

// In numbers of which a long double holds every partial sum to 11 bits more than a double.
TEST(LossScheduleTest, TheNoiseOfEveryonesReleasesIsBracketedInAnyOrder) {
  for (const double sigma : {1e4, 1.06e8, 3e10}) {
    for (const bool large_first : {true, false}) {
      ReleasesOfEveryone everyone;
      EXPECT_TRUE(everyone.none());
      if (large_first) everyone.Add(Event(1, 1, 3));
      for (int i = 0; i < 100000; ++i) everyone.Add(Event(1, sigma, 1));
      if (!large_first) everyone.Add(Event(1, 1, 3));
      const long double sum = 3 + 100000 / (static_cast<long double>(sigma) * sigma);
      const long double truth = 1 / std::sqrt(sum);
      EXPECT_LE(everyone.LeastNoiseMultiplier(), truth) << sigma;
      EXPECT_GE(everyone.MostNoiseMultiplier(), truth) << sigma;
    }
  }
  ReleasesOfEveryone few;
  few.Add(Event(1, 2.5, 1));
  EXPECT_LE(few.LeastNoiseMultiplier(), 2.5);
  EXPECT_GE(few.MostNoiseMultiplier(), 2.5);
  EXPECT_NEAR(few.MostNoiseMultiplier(), few.LeastNoiseMultiplier(), 1e-13);
}

TEST(LossScheduleTest, EveryoneIsOneEventWithLessNoiseAboveThanBelow) {
  ReleasesOfEveryone everyone;
  const LossSchedule alone = *MakeSchedule({Event(0.1, 1, 2)}, everyone);
  EXPECT_EQ(alone.events.size(), 1);
  EXPECT_FALSE(alone.everyone_from_below.has_value());
  everyone.Add(Event(1, 3, 7));
  const LossSchedule schedule = *MakeSchedule({Event(0.1, 1, 2)}, everyone);
  ASSERT_EQ(schedule.events.size(), 2);
  EXPECT_EQ(schedule.events.front().release.sampling_rate(), 1) << "the widest first";
  EXPECT_LT(schedule.events.front().release.noise_multiplier(),
            schedule.everyone_from_below->noise_multiplier());
  everyone.Add(Event(1, 1e-200, 1));
  EXPECT_TRUE(everyone.unbounded());
  EXPECT_FALSE(MakeSchedule({}, everyone).ok());
}

TEST(LossScheduleTest, TheMostNoiseThatThereIsHasABoundFromAboveStill) {
  ReleasesOfEveryone everyone;
  everyone.Add(Event(1, kMostNoise, 1));
  ASSERT_OK_AND_ASSIGN(const auto schedule, MakeSchedule({}, everyone));
  EXPECT_EQ(schedule.events.size(), 1);
}

}  // namespace loss_schedule_test
}  // namespace topicwall::accountant
