#include <gtest/gtest.h>

#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

// systemd's own measure, from 0 (safe) to 10; the threshold is in tenths.
TEST(ServerUnit, IsExposedNoMoreThanTwo) {
  const Outcome outcome =
      RunShell("systemd-analyze security --offline=true --no-pager --threshold=20 " +
               Deployed("topicwall-server.service"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
}

}  // namespace
}  // namespace topicwall::deploy
