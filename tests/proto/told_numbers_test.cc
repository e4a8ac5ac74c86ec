#include "proto/told_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

namespace topicwall::proto {
namespace {

double NumberOf(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

TEST(ToldNumbersTest, WhatIsPromisedRoundsUpAndWhatIsLeftRoundsDown) {
  EXPECT_EQ(EpsilonText(0.12341), "0.1235");
  EXPECT_EQ(EpsilonText(0.123401), "0.1235");
  EXPECT_EQ(EpsilonText(0.99999), "1.0000");
  EXPECT_EQ(EpsilonText(0), "0.0000");
  EXPECT_EQ(EpsilonText(2.44), "2.4400");
  EXPECT_EQ(EpsilonText(26.800000000000004), "26.8000") << "what adding doubles makes of it";
  EXPECT_EQ(LeftText(0.12349), "0.1234");
  EXPECT_EQ(LeftText(2.4399999999999995), "2.4400");
  EXPECT_EQ(LeftText(-1e-9), "0.0000");
  EXPECT_EQ(DeltaText(1.0000002e-5), "1.01e-05");
  EXPECT_EQ(DeltaText(1e-6), "1e-06");
  EXPECT_EQ(DeltaText(9.999e-7), "1e-06");
}

TEST(ToldNumbersTest, TwoDigitsAreOnTheSideThatIsAskedFor) {
  EXPECT_EQ(TwoDigitsDown(0.996), "0.99");
  EXPECT_EQ(TwoDigitsUp(0.996), "1");
  EXPECT_EQ(TwoDigitsDown(1.0999), "1");
  EXPECT_EQ(TwoDigitsDown(1.1), "1.1");
  EXPECT_EQ(TwoDigitsUp(1.1), "1.1");
  EXPECT_EQ(TwoDigitsUp(0.0311), "0.032");
  EXPECT_EQ(TwoDigitsDown(9.99), "9.9");
  EXPECT_EQ(TwoDigitsDown(11.96), "11");
  EXPECT_EQ(TwoDigitsUp(98.2), "99");
  EXPECT_EQ(TwoDigitsUp(99.2), "100") << "never by powers of ten";
  EXPECT_EQ(TwoDigitsDown(99.9), "99");
  EXPECT_EQ(TwoDigitsUp(616.1), "617");
  EXPECT_EQ(TwoDigitsDown(0), "0");
  std::mt19937 random(2);
  std::uniform_real_distribution<double> exponent(-6, 5);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::pow(10, exponent(random));
    ASSERT_LE(NumberOf(TwoDigitsDown(value)), value * (1 + 1e-12));
    ASSERT_GE(NumberOf(TwoDigitsUp(value)), value * (1 - 1e-12));
    ASSERT_GT(NumberOf(TwoDigitsDown(value)), 0.9 * value - 1e-12);
    ASSERT_LT(NumberOf(TwoDigitsUp(value)), 1.1 * value + 1e-12);
  }
}

TEST(ToldNumbersTest, WhatIsTakenIsWhatIsLeftGoesDownByToTheLastDigit) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> epsilon(0, 10);
  for (int i = 0; i < 1000; ++i) {
    const double total = 20 + epsilon(random), before = epsilon(random);
    const double after = before + epsilon(random) / 10;
    const double taken = NumberOf(LeftText(total, before)) - NumberOf(LeftText(total, after));
    ASSERT_NEAR(NumberOf(TakenText(before, after)), taken, 1e-9) << total << " " << before;
    ASSERT_LE(NumberOf(LeftText(total, before)), total - before);
    ASSERT_GE(NumberOf(EpsilonText(before)), before);
    ASSERT_LT(NumberOf(EpsilonText(before)), before + 1e-4);
  }
  EXPECT_EQ(TakenText(0.12341, 0.23459), "0.1111");
  EXPECT_EQ(TakenText(0, 0.12341), "0.1235");
  EXPECT_EQ(LeftText(2.44, 3), "0.0000");
  EXPECT_EQ(LeftText(2.44, HUGE_VAL), "0.0000") << "too few vouchers are left";
}

// The vouchers of a budget come to whatever they come to.
TEST(ToldNumbersTest, WhatFitsIsNeverToldToTakeMoreThanIsLeft) {
  EXPECT_EQ(TakenOfLeftText(2.44, 1.19636, 1.21564), "0.0193 of the 1.2436 left");
  EXPECT_EQ(TakenOfLeftText(1.380745, 0, 1.380745), "all of the 1.3807 left");
  EXPECT_EQ(TakenOfLeftText(1.380745, 0.38, 1.380745), "all of the 1.0007 left");
  EXPECT_EQ(TakenOfLeftText(1.380745, 0, 1.3806), "1.3806 of the 1.3807 left");
  EXPECT_EQ(TakenOfLeftText(2.44, 0, 2.5), "2.5000 of the 2.4400 left") << "which does not fit";
  EXPECT_EQ(TakenOfLeftText(1.380745, 0, HUGE_VAL), "more than all of the 1.3807 left");
  EXPECT_EQ(TakenOfLeftText(2.44, 2.44, HUGE_VAL), "more than all of the 0.0000 left");
}

}  // namespace
}  // namespace topicwall::proto
