#include "server/audit/walls/production_world.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

// At σ = 1/64: 20 of its deviations are the tolerance (false alarm of all entries 1e-81).
TEST(ProductionWorldTest, EveryUnitIsInItsOwnEntryAndAllOthersAreEmpty) {
  const testing::TemporaryDirectory parent;
  const auto folder = ScratchFolder::Create(parent.path());
  ASSERT_OK(folder);
  const auto world = ProductionWorld::Start(folder->get());
  ASSERT_OK(world);
  const auto status = (*world)->Observe(
      {.sampling_rate = 1, .noise_multiplier = 0x1p-6, .releases = 1},
      [](const ReceivedRelease& release) {
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < release.statistics.size(); ++i) {
          const bool of_unit = ProductionWorld::EntryOf(i % ProductionWorld::kTerms) == i;
          const float off = release.statistics[i] - (of_unit ? 1.0F : 0.0F);
          wrong += off > -20.0F / 64 && off < 20.0F / 64 ? 0 : 1;
        }
        EXPECT_EQ(wrong, 0u);
      });
  EXPECT_OK(status);
}

}  // namespace
}  // namespace topicwall::audit
