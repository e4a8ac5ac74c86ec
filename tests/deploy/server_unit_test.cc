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

// Without it releases compute on the processors that answer everybody else. The last word on a call
// counts: it is taken out with the other @resources before.
TEST(ServerUnit, LetsTheServerKeepProcessorsFree) {
  const Outcome filters =
      RunShell("grep ^SystemCallFilter= " + Deployed("topicwall-server.service"));
  EXPECT_EQ(filters.output,
            "SystemCallFilter=@system-service\n"
            "SystemCallFilter=~@privileged @resources\n"
            "SystemCallFilter=sched_setaffinity\n");
}

}  // namespace
}  // namespace topicwall::deploy
