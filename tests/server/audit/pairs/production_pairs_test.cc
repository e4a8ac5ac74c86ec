#include "server/audit/pairs/production_pairs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "server/mechanism/release_memory.h"

namespace topicwall::audit {
namespace {

TEST(ProductionPairsTest, AreAsLargeAsModelsInUseAndOneSharesItsMatrix) {
  std::set<std::string> names;
  bool shared = false;
  for (const auto& make : ProductionPairs()) {
    const NeighbouringPair pair = make();
    EXPECT_TRUE(names.insert(pair.name).second) << pair.name;
    const auto entries = static_cast<int64_t>(pair.log_topics.size());
    EXPECT_GE(pair.vocabulary_size, 50'000) << pair.name;
    EXPECT_GE(entries / pair.vocabulary_size, 100) << pair.name;
    EXPECT_EQ(entries % pair.vocabulary_size, 0) << pair.name;
    shared |= 2 * entries > mechanism::ReleaseMemory::kMaxCopiedEntries;
  }
  EXPECT_TRUE(shared) << "by two threads";
}

}  // namespace
}  // namespace topicwall::audit
