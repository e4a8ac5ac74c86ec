#include "model/lda/math/normal_tail.h"

#include <gtest/gtest.h>

#include <cmath>

namespace topicwall::lda {
namespace {

// Printed tables of the normal distribution.
TEST(NormalTailTest, PointsAreThoseOfTheTables) {
  EXPECT_NEAR(TwoSidedPoint(0.05), 1.959963984540054, 1e-13);
  EXPECT_NEAR(TwoSidedPoint(0.01), 2.5758293035489004, 1e-13);
  EXPECT_NEAR(TwoSidedPoint(0.3173105078629141), 1, 1e-13);
  EXPECT_NEAR(TwoSidedPoint(5.733031437583892e-7), 5, 1e-12);
  EXPECT_NEAR(TwoSidedPoint(1), 0, 1e-13);
}

TEST(NormalTailTest, TailAndPointUndoEachOther) {
  for (const double z : {0.0, 0.1, 1.0, 3.0, 8.0, 20.0, 37.0}) {
    EXPECT_NEAR(TwoSidedPoint(TwoSidedTail(z)), z, 1e-12 * (1 + z));
    EXPECT_EQ(TwoSidedTail(-z), TwoSidedTail(z));
  }
}

TEST(NormalTailTest, IndependentIntervalsOfSidaksLevelHoldTogether) {
  EXPECT_DOUBLE_EQ(SidakTail(0.05, 1), 0.05);
  for (const double count : {2.0, 60.0, 1e4}) {
    EXPECT_NEAR(std::pow(1 - SidakTail(0.05, count), count), 0.95, 1e-11);
  }
  EXPECT_NEAR(SidakTail(0.05, 1e15) * 1e15, -std::log(0.95), 1e-12) << "no digits are lost";
}

}  // namespace
}  // namespace topicwall::lda
