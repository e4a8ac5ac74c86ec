#include "server/audit/pairs/lattice_reading.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/server/mechanism/small_release.h"

namespace topicwall::audit {
namespace {

using ::topicwall::testing::StatusIs;
using Peer = mechanism::PartialSumTestPeer;

LatticeReading ReadingOf(const mechanism::PartialSum& sum) {
  absl::StatusOr<LatticeReading> reading = LatticeReading::Parse(sum.Serialise());
  EXPECT_OK(reading);
  return *std::move(reading);
}

TEST(LatticeReadingTest, ReadsWhatIsThere) {
  const mechanism::SmallCorpus corpus;
  mechanism::SmallRelease release(mechanism::SmallReceipt());
  const LatticeReading empty = ReadingOf(release.sum);
  corpus.AddTo(&release, corpus.everybody());
  const LatticeReading reading = ReadingOf(release.sum);
  EXPECT_EQ(reading.statistics(), Peer::Lattice(release.sum));
  const auto& histogram = Peer::Histogram(release.sum);
  EXPECT_EQ(reading.histogram(), std::vector<uint64_t>(histogram.begin(), histogram.end()));
  EXPECT_FALSE(reading == empty);
  EXPECT_EQ(empty.statistics(), std::vector<uint64_t>(reading.statistics().size(), 0));
}

TEST(LatticeReadingTest, WhatIsNoWholeSumIsRefused) {
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument);
  const mechanism::ReleaseKeys keys =
      mechanism::SplitForTest(mechanism::SmallReceipt(), /*num_shards=*/2);
  mechanism::PartialSum sum = mechanism::EmptySum(keys.coins);
  ASSERT_OK(sum.CountShard(0));
  EXPECT_THAT(LatticeReading::Parse(sum.Serialise()), refused) << "half of it";
  ASSERT_OK(sum.CountShard(1));
  const std::string bytes = sum.Serialise();
  EXPECT_OK(LatticeReading::Parse(bytes));
  for (std::size_t size = 0; size < bytes.size(); size += size < 100 ? 1 : 97) {
    EXPECT_THAT(LatticeReading::Parse(bytes.substr(0, size)), refused) << size;
  }
  EXPECT_THAT(LatticeReading::Parse(bytes + "x"), refused);
  std::string huge = bytes;  // D, of which there cannot be so many
  huge[71] = '\x7f';
  EXPECT_THAT(LatticeReading::Parse(huge), refused);
  ASSERT_OK(sum.CountShard(1));
  EXPECT_THAT(LatticeReading::Parse(sum.Serialise()), refused) << "one of them twice";
}

}  // namespace
}  // namespace topicwall::audit
