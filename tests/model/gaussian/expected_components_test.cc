#include "model/gaussian/expected_components.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/status_matchers.h"

namespace topicwall::gaussian {
namespace expected_components_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// By hand: 20,000 vectors of 25 numbers, 1/5 from 0 each, in 10 components of 2,000.
TEST(ExpectComponentsTest, AMeanIsOffByTheNoiseOfItsSumOverItsVectors) {
  ASSERT_OK_AND_ASSIGN(
      const auto expected,
      ExpectComponents({.num_vectors = 20000, .dimension = 25, .num_components = 10},
                       {.counts = 40, .sums = 20, .squares = 8}, 1000));
  EXPECT_DOUBLE_EQ(expected.counts_signal, 20);
  ASSERT_EQ(expected.sizes.size(), 3u);
  EXPECT_DOUBLE_EQ(expected.sizes[0].vectors, 2000);
  // 0.002 of a count, and a tenth of the other nine: √(0.81 + 0.09).
  EXPECT_DOUBLE_EQ(expected.sizes[0].weight_error, 0.002 * std::sqrt(0.9));
  EXPECT_DOUBLE_EQ(expected.sizes[0].mean_error, 0.01);
  EXPECT_DOUBLE_EQ(expected.sizes[0].signal, 20);
  EXPECT_DOUBLE_EQ(expected.sizes[1].mean_error, 0.02);
  EXPECT_DOUBLE_EQ(expected.sizes[2].vectors, 200);
  EXPECT_DOUBLE_EQ(expected.sizes[2].signal, 2);
}

TEST(ExpectComponentsTest, WhatIsOutOfRangeIsNamed) {
  const NoiseDeviations noise = {.counts = 1, .sums = 1, .squares = 1};
  EXPECT_THAT(ExpectComponents({.num_vectors = 0, .dimension = 2, .num_components = 3}, noise, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("number of vectors")));
  EXPECT_THAT(ExpectComponents({.num_vectors = 9, .dimension = 2, .num_components = 0}, noise, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("components")));
  EXPECT_THAT(ExpectComponents({.num_vectors = 9, .dimension = 2, .num_components = 3},
                               {.counts = 1, .sums = std::nan(""), .squares = 1}, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("noise of sums")));
  EXPECT_THAT(ExpectComponents({.num_vectors = 9, .dimension = 2, .num_components = 3}, noise, 0),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("noise of all counts")));
}

}  // namespace expected_components_test
}  // namespace topicwall::gaussian
