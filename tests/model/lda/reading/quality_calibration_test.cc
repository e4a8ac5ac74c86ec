#include "model/lda/reading/quality_calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace topicwall::lda {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(QualityCalibrationTest, MoreIsNeverLessProbable) {
  for (double x = -3; x < 9; x += 0.01) {
    EXPECT_LE(ProbabilityAbove(x), ProbabilityAbove(x + 0.01)) << x;
    EXPECT_LE(ProbabilityOfComingAgain(x), ProbabilityOfComingAgain(x + 0.01)) << x;
  }
}

TEST(QualityCalibrationTest, EveryNumberGivesAProbability) {
  for (const auto map : {ProbabilityAbove, ProbabilityOfComingAgain}) {
    for (const double x : {-kInfinity, -1e300, 0.0, 1e300, kInfinity}) {
      EXPECT_GE(map(x), 0);
      EXPECT_LE(map(x), 1);
    }
    EXPECT_EQ(map(NAN), 0);
  }
  EXPECT_EQ(ProbabilityAbove(kInfinity), 1);
}

// What was counted, between and at the points of the tables: deploy/study/EXPERIMENTS.md.
TEST(QualityCalibrationTest, TheMapsAreWhatWasCounted) {
  EXPECT_NEAR(ProbabilityAbove(1.13), 0.62, 0.03);
  EXPECT_NEAR(ProbabilityAbove(2.26), 0.91, 0.02);
  EXPECT_NEAR(ProbabilityAbove(3.52), 0.977, 0.01);
  // Of topics with grades from 0.20 to 0.24, 0.28 to 0.30, 0.33 to 0.35 and 0.36 to 0.39.
  EXPECT_NEAR(ProbabilityOfComingAgain(0.222), 0.213, 0.03);
  EXPECT_NEAR(ProbabilityOfComingAgain(0.291), 0.582, 0.03);
  EXPECT_NEAR(ProbabilityOfComingAgain(0.340), 0.864, 0.03);
  EXPECT_NEAR(ProbabilityOfComingAgain(0.373), 0.951, 0.03);
}

}  // namespace
}  // namespace topicwall::lda
