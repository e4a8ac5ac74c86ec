#include "server/audit/pairs/grid_reading.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "server/mechanism/grid_scale.h"
#include "tests/server/mechanism/small_release.h"

namespace topicwall::audit {
namespace {

using ::topicwall::testing::StatusIs;
using Peer = mechanism::PartialSumTestPeer;

GridReading ReadingOf(const mechanism::PartialSum& sum) {
  absl::StatusOr<GridReading> reading = GridReading::Parse(sum.Serialise());
  EXPECT_OK(reading);
  return *std::move(reading);
}

TEST(GridReadingTest, ReadsWhatIsThere) {
  const mechanism::SmallCorpus corpus;
  mechanism::SmallRelease release(mechanism::SmallReceipt());
  const GridReading empty = ReadingOf(release.sum);
  corpus.AddTo(&release, corpus.everybody());
  const GridReading reading = ReadingOf(release.sum);
  EXPECT_EQ(reading.statistics, Peer::Grid(release.sum));
  const auto& histogram = Peer::Histogram(release.sum);
  EXPECT_EQ(reading.histogram, std::vector<uint64_t>(histogram.begin(), histogram.end()));
  EXPECT_FALSE(reading == empty);
  EXPECT_EQ(empty.statistics, std::vector<uint64_t>(reading.statistics.size(), 0));
}

TEST(GridReadingTest, WhatIsNoWholeSumIsRefused) {
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument);
  const mechanism::ReleaseKeys keys =
      mechanism::SplitForTest(mechanism::SmallReceipt(), /*num_shards=*/2);
  mechanism::PartialSum sum = mechanism::EmptySum(keys.coins);
  ASSERT_OK(sum.CountShard(0));
  EXPECT_THAT(GridReading::Parse(sum.Serialise()), refused) << "half of it";
  ASSERT_OK(sum.CountShard(1));
  const std::string bytes = sum.Serialise();
  EXPECT_OK(GridReading::Parse(bytes));
  for (std::size_t size = 0; size < bytes.size(); size += size < 100 ? 1 : 97) {
    EXPECT_THAT(GridReading::Parse(bytes.substr(0, size)), refused) << size;
  }
  EXPECT_THAT(GridReading::Parse(bytes + "x"), refused);
  std::string huge = bytes;  // D, of which there cannot be so many
  huge[79] = '\x7f';
  EXPECT_THAT(GridReading::Parse(huge), refused);
  ASSERT_OK(sum.CountShard(1));
  EXPECT_THAT(GridReading::Parse(sum.Serialise()), refused) << "one of them twice";
}

TEST(ExactIntegerSensitivityTest, IsTheLargestIntegerThatFits) {
  EXPECT_EQ(ExactIntegerSensitivity(0x1p-6), uint64_t{1} << 36);
  EXPECT_EQ(ExactIntegerSensitivity(0x1p20), 1024u);
  EXPECT_EQ(ExactIntegerSensitivity(1), uint64_t{1} << 30);
  EXPECT_EQ(ExactIntegerSensitivity(3), 357913941u);  // (2^30 - 1)/3
  EXPECT_EQ(ExactIntegerSensitivity(std::nextafter(1, 2)), (uint64_t{1} << 30) - 1);
  EXPECT_EQ(ExactIntegerSensitivity(std::nextafter(1, 0)), uint64_t{1} << 30);
  for (double sigma = 0x1p-6; sigma < 0x1p20; sigma *= 1.37) {
    EXPECT_EQ(ExactIntegerSensitivity(sigma), mechanism::IntegerSensitivity(sigma)) << sigma;
  }
}

TEST(SquaredLengthTest, IsExactBothWaysAroundAndBeyond64Bits) {
  const uint64_t large = uint64_t{1} << 36;
  EXPECT_EQ(SquaredLength({large, 3}, {0, 5}), (absl::uint128(1) << 72) + 4);
  EXPECT_EQ(SquaredLength({0}, {large}), absl::uint128(1) << 72);
  EXPECT_EQ(SquaredLength({0}, {uint64_t{1} << 63}), absl::uint128(1) << 96) << "no smaller";
  EXPECT_EQ(SquaredLength({5, 6}, {5, 6}), 0u);
}

// What the paper's Algorithm 1 does to the first pair by name: sums of a batch that is projected
// as a whole to length M. The measure of the audit calls it by its number.
TEST(SquaredLengthTest, SeesWhatABatchClipDoes) {
  const double m = static_cast<double>(ExactIntegerSensitivity(1.24));
  const auto projected = [m](double cat, double dog) {
    const double norm = std::hypot(cat, dog);
    return std::vector<uint64_t>{static_cast<uint64_t>(cat / norm * m),
                                 static_cast<uint64_t>(dog / norm * m)};
  };
  const absl::uint128 squared = SquaredLength(projected(50, 500), projected(50, 0));
  EXPECT_NEAR(std::sqrt(static_cast<double>(squared)) / m, 1.342, 5e-4);
  EXPECT_GT(squared, absl::uint128(ExactIntegerSensitivity(1.24)) * ExactIntegerSensitivity(1.24));
}

}  // namespace
}  // namespace topicwall::audit
