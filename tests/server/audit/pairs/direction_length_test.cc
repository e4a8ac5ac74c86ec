#include "server/audit/pairs/direction_length.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace direction_length_test {

// Of each row (3, 4)/5 at M = 2^10, so R = 4 and A = (2, 3), and τ = 4 as r is 1.
mechanism::RowDirections Directions(int64_t rows) {
  std::vector<float> directions;
  for (const float number : {3.0F, 4.0F}) {
    for (int64_t row = 0; row < rows; ++row) directions.push_back(number);
  }
  auto made = mechanism::RowDirections::Create({.shape = model::GridOf(rows, 2),
                                                .weights = {},
                                                .noise_multiplier = 0x1p20,
                                                .direction_noise = 1},
                                               directions);
  EXPECT_OK(made);
  EXPECT_EQ(made->column(0)[0], 2);
  EXPECT_EQ(made->column(1)[0], 3);
  EXPECT_EQ(made->scale(), 4);
  return *std::move(made);
}

// q = (20, 30): 130/29 is between 4 and 5. (20 − 8)² + (30 − 12)² + 16·4² = 724, and with 5 it is
// 100 + 225 + 400 = 725.
TEST(SquaredLengthAlongTest, IsTheLeastOverTheIntegersThatAUnitMayUse) {
  const mechanism::RowDirections one = Directions(1);
  EXPECT_EQ(SquaredLengthAlong(one, 1, {20, 30}, {0, 0}), 724U);
  EXPECT_EQ(SquaredLengthAlong(one, 1, {0, 0}, {20, 30}), 724U) << "−20, −30";
  EXPECT_EQ(SquaredLengthAlong(one, 1, {7, 1}, {~uint64_t{12}, ~uint64_t{28}}), 724U)
      << "modulo 2^64";
  EXPECT_EQ(SquaredLengthAlong(one, 1, {30, 0}, {0, 20}), 1300U) << "across: m = 0";
  // Column by column, so that the rows are (20, 30) and (30, −20).
  EXPECT_EQ(SquaredLengthAlong(Directions(2), 2, {20, 30, 30, 0}, {0, 0, 0, 20}), 724U + 1300)
      << "each row has an m of its own";
}

TEST(SquaredLengthAlongTest, WithoutDirectionsIsTheSumOfSquares) {
  EXPECT_EQ(SquaredLengthAlong({}, 1, {20, 30}, {0, 0}), 1300U);
}

// 2^48 in each entry: q·A is 5·2^48, and what it comes to is q² less (q·A)²/29, all but the
// rounding of m.
TEST(SquaredLengthAlongTest, WhatIsBeyondAnyUnitDoesNotWrap) {
  const uint64_t far = uint64_t{1} << 60;
  const absl::uint128 squared = SquaredLengthAlong(Directions(1), 1, {far, far}, {0, 0});
  EXPECT_NEAR(static_cast<double>(squared), (2 - 25.0 / 29) * 0x1p96, 0x1p60);
}

}  // namespace direction_length_test
}  // namespace topicwall::audit
