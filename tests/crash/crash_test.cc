// SIGKILL at every named point of reserve → charge → store → publish → reply → cancel:
// nothing that left is unpaid, nothing paid is lost, nothing is paid twice.
#include <gtest/gtest.h>

#include <string>

#include "tests/crash/crash_loop.h"

namespace topicwall::testing {
namespace {

class CrashTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CrashTest, LosesNothingAndPaysNothingTwice) {
  WallWorld undisturbed(CrashWorld());
  const Aftermath expected = LiveOnce(undisturbed, "", std::string(16, 'u'));
  ASSERT_EQ(expected.kills, 0);

  WallWorld world(CrashWorld());
  const Aftermath aftermath = LiveOnce(world, GetParam(), std::string(16, 'k'));
  EXPECT_EQ(aftermath.kills, 1) << "the point was never passed";
  EXPECT_EQ(aftermath.reserved, 1);
  EXPECT_EQ(aftermath.charged, 1);
  EXPECT_EQ(aftermath.published, 1);
  EXPECT_EQ(aftermath.cancelled, 1);
  EXPECT_TRUE(aftermath.read_again);
  EXPECT_EQ(aftermath.epsilon_spent, expected.epsilon_spent);
  const Finished verified =
      world.Admin({"verify-ledger", "--config", world.Path("wall.textproto")});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

std::string NameOfPoint(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(EveryPoint, CrashTest, ::testing::ValuesIn(kKillPoints), NameOfPoint);

}  // namespace
}  // namespace topicwall::testing
