#include "server/audit/pairs/lattice_reading.h"

#include <gtest/gtest.h>

#include "tests/server/mechanism/small_release.h"

namespace topicwall::audit {
namespace {

TEST(LatticeReadingTest, ReadsWhatIsThere) {
  const mechanism::SmallCorpus corpus;
  mechanism::LatticeSum sum = mechanism::SmallSum(mechanism::SmallReceipt());
  const LatticeReading empty(sum);
  corpus.AddTo(&sum, corpus.everybody());
  const LatticeReading reading(sum);
  EXPECT_EQ(reading.statistics(), mechanism::LatticeSumTestPeer::Lattice(sum));
  const auto& histogram = mechanism::LatticeSumTestPeer::Histogram(sum);
  EXPECT_EQ(reading.histogram(), std::vector<uint64_t>(histogram.begin(), histogram.end()));
  EXPECT_FALSE(reading == empty);
  EXPECT_EQ(empty.statistics(), std::vector<uint64_t>(reading.statistics().size(), 0));
}

}  // namespace
}  // namespace topicwall::audit
