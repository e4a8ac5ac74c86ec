#include "server/audit/walls/canary_wall.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

// At σ = 1/64 what is there can be read off: 20 deviations are the tolerance (false alarm 1e-88).
TEST(CanaryWallTest, EveryUnitIsInItsOwnEntryAndAllOthersAreEmpty) {
  const testing::TemporaryDirectory parent;
  ASSERT_OK_AND_ASSIGN(const auto attack, Attack::Create({.scratch_directory = parent.path()}));
  ASSERT_OK_AND_ASSIGN(const auto wall, CanaryWall::Start(*attack, kSmallShape));
  int seen = 0;
  ASSERT_OK(wall->Observe(
      {.noise_multiplier = 0x1p-6, .histogram_noise_multiplier = 0x1p-6, .releases = 2},
      [&](const CanaryWall::Seen& release) {
        ++seen;
        EXPECT_TRUE(release.is_repeatable);
        std::size_t units = 0;
        for (std::size_t i = 0; i < release.by_term.size(); ++i) {
          const bool of_unit = kSmallShape.IsOfUnit(i);
          units += of_unit ? 1 : 0;
          ASSERT_NEAR(release.by_term[i], of_unit ? 1 : 0, 20.0 / 64) << i;
        }
        EXPECT_EQ(units, kSmallShape.units);
        EXPECT_NEAR(release.histogram.back(), kSmallShape.units, 20.0 / 64);
        for (std::size_t bin = 0; bin + 1 < release.histogram.size(); ++bin) {
          EXPECT_NEAR(release.histogram[bin], 0, 20.0 / 64);
        }
      }));
  EXPECT_EQ(seen, 2);
  for (std::size_t unit = 0; unit < kSmallShape.units; ++unit) {
    EXPECT_TRUE(kSmallShape.IsOfUnit(kSmallShape.EntryOf(unit)));
  }
}

}  // namespace
}  // namespace topicwall::audit
