#include "server/audit/pairs/clip_probe.h"

#include <gtest/gtest.h>

#include "server/audit/attack.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

TEST(ClipProbeTest, TheClipperStandsIt) {
  ASSERT_OK_AND_ASSIGN(const auto attack, Attack::Create({}));
  ASSERT_OK_AND_ASSIGN(auto choices, attack->Choices("clip"));
  ASSERT_OK_AND_ASSIGN(const auto probe, ProbeClip(choices));
  EXPECT_GT(probe.units, 500);
  EXPECT_EQ(probe.bad_units_let_in, 0);
  EXPECT_EQ(probe.too_long, 0);
  EXPECT_GE(probe.sums, 16);
  EXPECT_EQ(probe.wrong_sums, 0);
}

}  // namespace
}  // namespace topicwall::audit
