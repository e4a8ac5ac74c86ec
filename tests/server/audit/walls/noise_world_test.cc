#include "server/audit/walls/noise_world.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <set>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

// At σ = 1/64 what is there can be read off: noise is 1/16 of a word, 20 of its deviations the
// tolerance (false alarm 1e-88).
TEST(NoiseWorldTest, CanariesAreThereInOneWallAndEmptyEntriesAreEmpty) {
  const testing::TemporaryDirectory parent;
  const auto folder = ScratchFolder::Create(parent.path());
  ASSERT_OK(folder);
  const auto world = NoiseWorld::Start(folder->get());
  ASSERT_OK(world);
  int seen = 0;
  const auto status = (*world)->Observe(
      {.noise_multiplier = 0x1p-6, .histogram_noise_multiplier = 0x1p-6, .releases = 2},
      [&](const NoiseWorld::Releases& releases) {
        ++seen;
        EXPECT_TRUE(releases.replays_are_equal);
        for (int canary = 0; canary < NoiseWorld::kCanaries; ++canary) {
          EXPECT_NEAR(NoiseWorld::Project(releases.with, canary), 1, 20.0 / 64);
          EXPECT_NEAR(NoiseWorld::Project(releases.without, canary), 0, 20.0 / 64);
        }
        for (const int entry : NoiseWorld::EmptyEntries()) {
          const auto place = static_cast<std::size_t>(entry);
          ASSERT_NEAR(releases.with.statistics[place], 0, 20.0 / 16);
          ASSERT_NEAR(releases.without.statistics[place], 0, 20.0 / 16);
        }
        const int bin = NoiseWorld::CanaryBin();
        EXPECT_NEAR(releases.with.header.norm_histogram(bin), NoiseWorld::kCanaries, 0.4);
        EXPECT_NEAR(releases.without.header.norm_histogram(bin), 0, 0.4);
      });
  ASSERT_OK(status);
  EXPECT_EQ(seen, 2);
}

TEST(NoiseWorldTest, EmptyEntriesAndThoseOfDocumentsAreDisjoint) {
  std::set<int> entries(NoiseWorld::EmptyEntries().begin(), NoiseWorld::EmptyEntries().end());
  EXPECT_EQ(entries.size(), NoiseWorld::EmptyEntries().size());
  for (const int entry : NoiseWorld::DocumentEntries()) EXPECT_EQ(entries.count(entry), 0u);
}

}  // namespace
}  // namespace topicwall::audit
