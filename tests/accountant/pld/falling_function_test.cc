#include "accountant/pld/falling_function.h"

#include <cmath>
#include <limits>

#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

double Line(double x) { return 3 - 2 * x; }
double Curve(double x) { return -x * x - 5 * x; }

TEST(FallingFunctionTest, BothSidesAreFoundCloseToTheCrossing) {
  const auto least = LeastWhereAtMost(Line, 1, 4, 100);
  ASSERT_TRUE(least.has_value());
  EXPECT_LE(Line(*least), 1);
  EXPECT_NEAR(*least, 1, 1e-9);
  const double largest = LargestWhereAtLeast(Line, 1, 1.3);
  EXPECT_GE(Line(largest), 1);
  EXPECT_NEAR(largest, 1, 1e-9);
}

TEST(FallingFunctionTest, ABadGuessOnlyCostsQuestions) {
  const double root = (-5 + std::sqrt(25.0 + 80)) / 2;  // −x² − 5x = −20
  for (const double guess : {1e-6, 0.5, 2.6, 900.0}) {
    int asked = 0;
    const auto counted = [&asked](double x) {
      ++asked;
      return Curve(x);
    };
    const auto least = LeastWhereAtMost(counted, -20, guess, 1000);
    ASSERT_TRUE(least.has_value()) << guess;
    EXPECT_NEAR(*least, root, 1e-8);
    EXPECT_LE(Curve(*least), -20);
    EXPECT_LE(asked, 100);
  }
}

TEST(FallingFunctionTest, WhatIsLowFromTheStartIsFoundAtZero) {
  EXPECT_EQ(*LeastWhereAtMost(Line, 3, 1, 10), 0);
  EXPECT_EQ(LargestWhereAtLeast(Line, 7, 5), 0);
}

TEST(FallingFunctionTest, WhatIsNeverLowEnoughIsNotFound) {
  EXPECT_FALSE(LeastWhereAtMost(Line, -1000, 1, 10).has_value());
  const auto says_nothing = [](double) { return std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_FALSE(LeastWhereAtMost(says_nothing, 0, 1, 10).has_value());
  EXPECT_EQ(LargestWhereAtLeast(says_nothing, 0, 1), 0);
}

TEST(FallingFunctionTest, AWallIsFoundFromItsFarSide) {
  const auto wall = [](double x) { return x < 0.7 ? 0.0 : -800.0; };
  const auto least = LeastWhereAtMost(wall, -14, 2, 10);
  ASSERT_TRUE(least.has_value());
  EXPECT_GE(*least, 0.7);
  EXPECT_NEAR(*least, 0.7, 1e-8);
  EXPECT_LT(LargestWhereAtLeast(wall, -14, 2), 0.7);
  EXPECT_NEAR(LargestWhereAtLeast(wall, -14, 2), 0.7, 1e-8);
}

}  // namespace
}  // namespace topicwall::accountant
