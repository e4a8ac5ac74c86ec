#include "model/lda/topics/initial_topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace {

using ::topicwall::testing::StatusIs;

TEST(InitialTopicsTest, TheSameSeedGivesTheSameTopicsAndAnotherOthers) {
  ASSERT_OK_AND_ASSIGN(const auto first, RandomTopics(5, 100, 1));
  EXPECT_EQ(first.size(), 500u);
  EXPECT_EQ(first, *RandomTopics(5, 100, 1));
  EXPECT_NE(first, *RandomTopics(5, 100, 2));
}

TEST(InitialTopicsTest, EntriesAreGammaOfShapeOneHundred) {
  // The seed is fixed, so the test cannot flake. n = 10^5 draws of Gamma(100)/100 have standard
  // errors of 0.1/√n = 3.2e-4 for the mean, 0.1·√((2 + 0.06)/4n) = 2.3e-4 for the deviation and
  // about √(6/n) = 0.0077 for the skewness (0.2); tolerances are six of these. A normal instead of
  // a gamma (skewness 0), or shape 99 or 101 by its mean, is caught.
  const auto topics = RandomTopics(10, 10000, 7);
  double sum = 0, squares = 0, cubes = 0;
  for (const float entry : *topics) {
    ASSERT_GT(entry, 0);
    sum += entry;
  }
  const double n = 1e5, mean = sum / n;
  for (const float entry : *topics) {
    const double centred = entry - mean;
    squares += centred * centred;
    cubes += centred * centred * centred;
  }
  const double deviation = std::sqrt(squares / n);
  EXPECT_NEAR(mean, 1, 6 * 3.2e-4);
  EXPECT_NEAR(deviation, 0.1, 6 * 2.3e-4);
  EXPECT_NEAR(cubes / n / std::pow(deviation, 3), 0.2, 6 * 0.0077);
}

TEST(InitialTopicsTest, RefusesABadShape) {
  EXPECT_THAT(RandomTopics(0, 5, 1), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RandomTopics(5, -1, 1), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RandomTopics(5, 5, 1, 0.5), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RandomTopics(5, 5, 1, std::nan("")), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::lda
