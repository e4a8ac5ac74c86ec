#include "server/audit/statistics/draw_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace topicwall::audit {
namespace {

TEST(DrawSumsTest, CountsUnitsPairsAndBatches) {
  DrawSums sums(4, 0.5);
  sums.Add({true, true, false, true});
  sums.Add({true, false, false, false});
  EXPECT_EQ(sums.releases(), 2);
  EXPECT_EQ(sums.drawn(), 4);
  EXPECT_EQ(sums.drawn_of_unit(), (std::vector<int64_t>{2, 1, 0, 1}));
  EXPECT_EQ(sums.unit_pairs(), 4);
  EXPECT_EQ(sums.units_alike(), 2);
  EXPECT_EQ(sums.release_pairs(), 4);
  EXPECT_EQ(sums.releases_alike(), 2);
  EXPECT_DOUBLE_EQ(sums.batch_scatter(), 2);  // (3 - 2)² and (1 - 2)², variance 1
}

// Against the χ² law, which the binomial one nears: 100 batches of 10,000 coins.
TEST(BatchScatterBoundsTest, AreThoseOfAChiSquareForManyCoins) {
  const double x = std::log(1e9);
  const Interval bounds = BatchScatterBounds(100, 10'000, 0.5, x);
  // Chernoff for χ²_n: t - 1 - ln t = 2x/n at both ends.
  for (const double t : {bounds.low, bounds.high}) {
    EXPECT_NEAR(t - 1 - std::log(t), 2 * x / 100, 0.02 * 2 * x / 100) << t;
  }
  EXPECT_LT(bounds.low, 1);
  EXPECT_GT(bounds.high, 1);
}

TEST(BatchScatterBoundsTest, SeeBatchesOfAFixedSizeInTwentyReleases) {
  EXPECT_GT(BatchScatterBounds(20, 512, 0.3, std::log(64e8)).low, 0.01);
}

}  // namespace
}  // namespace topicwall::audit
