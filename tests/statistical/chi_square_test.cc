// The measuring instrument itself.
#include "tests/support/chi_square.h"

#include <gtest/gtest.h>

#include <cmath>

namespace topicwall::testing {
namespace {

// With 2 degrees of freedom the tail is e^(-x/2); with 4, e^(-x/2)(1 + x/2); with 1,
// erfc(sqrt(x/2)).
TEST(ChiSquareTest, AgreesWithClosedForms) {
  for (const double x : {0.1, 1.0, 3.0, 10.0, 40.0, 100.0}) {
    EXPECT_NEAR(ChiSquareUpperTail(x, 2) / std::exp(-x / 2), 1, 1e-10) << x;
    EXPECT_NEAR(ChiSquareUpperTail(x, 4) / (std::exp(-x / 2) * (1 + x / 2)), 1, 1e-10) << x;
    EXPECT_NEAR(ChiSquareUpperTail(x, 1) / std::erfc(std::sqrt(x / 2)), 1, 1e-10) << x;
  }
  EXPECT_EQ(ChiSquareUpperTail(0, 5), 1);
}

TEST(ChiSquareTest, PerfectCountsPassAndSkewedOnesFail) {
  EXPECT_GT(ChiSquarePValue({5000, 5000}, {0.5, 0.5}), 0.99);
  // (500² / 5000)·2 = 100, one degree of freedom.
  EXPECT_NEAR(ChiSquarePValue({5500, 4500}, {0.5, 0.5}) / std::erfc(std::sqrt(50.0)), 1, 1e-10);
}

TEST(ChiSquareTest, PoolsRareCellsAndKnowsImpossibleOnes) {
  // The two rare cells together expect 100.
  EXPECT_GT(ChiSquarePValue({4950, 4950, 100, 0}, {0.495, 0.495, 0.005, 0.005}), 0.99);
  EXPECT_EQ(ChiSquarePValue({5000, 5000, 1}, {0.5, 0.5, 0.0}), 0);
  EXPECT_EQ(ChiSquarePValue({10, 10}, {0.5, 0.5}), -1);
}

}  // namespace
}  // namespace topicwall::testing
