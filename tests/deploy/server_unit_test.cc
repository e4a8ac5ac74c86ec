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

// It is root to become two other users, and for nothing else.
TEST(ServerUnit, LeavesRootNothingButToStartAndSignalItsProcesses) {
  const Outcome rights = RunShell("grep -E '^(CapabilityBoundingSet|AmbientCapabilities|User)=' " +
                                  Deployed("topicwall-server.service"));
  EXPECT_EQ(rights.output,
            "User=root\n"
            "CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_KILL\n"
            "AmbientCapabilities=\n");
}

// Without the first releases compute on the processors that answer everybody else; without the
// others nothing starts. The last word on a call counts: they are taken out with the rest before,
// or never were in.
TEST(ServerUnit, LetsTheServerKeepProcessorsFreeAndShutTheDoorBehindIt) {
  const Outcome filters =
      RunShell("grep ^SystemCallFilter= " + Deployed("topicwall-server.service"));
  EXPECT_EQ(filters.output,
            "SystemCallFilter=@system-service\n"
            "SystemCallFilter=~@privileged @resources\n"
            "SystemCallFilter=sched_setaffinity\n"
            "SystemCallFilter=setuid setresuid setgroups capset\n"
            "SystemCallFilter=seccomp landlock_create_ruleset landlock_add_rule "
            "landlock_restrict_self\n");
}

// systemd's own choice is to end all of them, in the middle of what they compute.
TEST(ServerUnit, LosesToWantOfMemoryTheOneProcessThatHadNone) {
  const Outcome policy = RunShell("grep ^OOMPolicy= " + Deployed("topicwall-server.service"));
  EXPECT_EQ(policy.output, "OOMPolicy=continue\n");
}

// With a shared ledger the vault's user reaches the store's folder by its group alone.
TEST(ServerUnit, ChecksTheConfigurationWithAllGroupsOfTheVaultsUser) {
  const Outcome start = RunShell("grep ^ExecStartPre= " + Deployed("topicwall-server.service"));
  EXPECT_EQ(start.output,
            "ExecStartPre=/usr/bin/setpriv --reuid=topicwall --regid=topicwall --init-groups \\\n");
}

}  // namespace
}  // namespace topicwall::deploy
