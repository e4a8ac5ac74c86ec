// topicwall-audit itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

using ::testing::AllOf;
using testing::Finished;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Finished Audit(std::vector<std::string> arguments) {
  const testing::TemporaryDirectory folder;
  arguments.insert(arguments.end(), {"--scratch", folder.path()});
  return testing::Run(
      {.program = "topicwall-audit", .arguments = std::move(arguments), .folder = folder.path()});
}

TEST(AuditProgramTest, AFolderThatIsNotThereIsNamedByWhereItWasGiven) {
  const testing::TemporaryDirectory folder;
  const auto audit = [&](std::vector<std::string> arguments) {
    return testing::Run({.program = "topicwall-audit",
                         .arguments = std::move(arguments),
                         .folder = folder.path(),
                         .in_child = [] { setenv("TMPDIR", "/nonexistent/a", 1); }});
  };
  const Finished by_variable = audit({"--part", "schedule"});
  EXPECT_EQ(by_variable.exit_code, 1);
  EXPECT_THAT(by_variable.errors, HasSubstr("TMPDIR must be a folder that can be written to; got "
                                            "/nonexistent/a (No such file or directory)"));
  EXPECT_THAT(audit({"--part", "schedule", "--scratch", "/nonexistent/b"}).errors,
              HasSubstr("--scratch must be a folder that can be written to; got /nonexistent/b"));
}

// As a full disk does, and its own folder goes.
TEST(AuditProgramTest, ALimitOnFileSizesIsAnErrorAndNoDeath) {
  const testing::TemporaryDirectory folder, scratch;
  const Finished limited =
      testing::Run({.program = "topicwall-audit",
                    .arguments = {"--part", "ledger", "--scratch", scratch.path()},
                    .folder = folder.path(),
                    .in_child = [] {
                      const rlimit small = {.rlim_cur = 8192, .rlim_max = 8192};
                      setrlimit(RLIMIT_FSIZE, &small);
                    }});
  EXPECT_EQ(limited.exit_code, 1) << limited.errors;
  EXPECT_THAT(scratch.Names(), ::testing::IsEmpty());
}

// Too little for one release: no limit that the part sets would say anything of the wall.
TEST(AuditProgramTest, WhoseOwnMemoryIsLimitedFindsNoViolationInIt) {
  const testing::TemporaryDirectory folder, scratch;
  const Finished limited =
      testing::Run({.program = "topicwall-audit",
                    .arguments = {"--part", "memory", "--scratch", scratch.path()},
                    .folder = folder.path(),
                    .in_child = [] {
                      constexpr rlim_t kBytes = 200'000 << 10;
                      const rlimit little = {.rlim_cur = kBytes, .rlim_max = kBytes};
                      setrlimit(RLIMIT_AS, &little);
                    }});
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_THAT(limited.output, AllOf(HasSubstr("NOT FINISHED"), HasSubstr("ulimit -v")));
}

TEST(AuditProgramTest, SaysHowItWentInTextJsonAndExitCode) {
  const Finished help = Audit({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("Example:\n  topicwall-audit --part noise"),
                                 HasSubstr("--json"), HasSubstr("--long")));
  const std::string seed = "00112233445566778899aabbccddeeff";
  const Finished table = Audit({"--part", "schedule", "--seed", seed});
  EXPECT_EQ(table.exit_code, 0) << table.output;
  EXPECT_THAT(table.output, AllOf(StartsWith("seed " + seed), HasSubstr("schedule  holds")));
  EXPECT_THAT(table.errors, HasSubstr("schedule"));  // progress
  const Finished json = Audit({"--part", "schedule", "--json", "--seed", seed});
  EXPECT_EQ(json.exit_code, 0) << json.output;
  EXPECT_THAT(json.output, StartsWith(R"({"seed":")" + seed + R"(","holds":true,)"));
}

TEST(AuditProgramTest, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(Audit({"--part", "everything"}).exit_code, 2);
  const Finished few = Audit({"--releases", "3"});
  EXPECT_EQ(few.exit_code, 2);
  EXPECT_THAT(few.errors, HasSubstr("releases must be in"));
}

// Whoever runs it in a script must not take a slip for a wall that breaks its promise.
TEST(AuditProgramTest, EveryErrorOfUsageHasTheExitCodeOfUsage) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--releases", "0"},
                                                  {"--pairs", "-1"},
                                                  {"--seed", "xyz"},
                                                  {"--false-alarm", "1"}}) {
    EXPECT_EQ(Audit(options).exit_code, 2) << options.front();
  }
  const testing::TemporaryDirectory folder;
  EXPECT_EQ(testing::Run({.program = "topicwall-audit",
                          .arguments = {"--scratch", "/nonexistent/b"},
                          .folder = folder.path()})
                .exit_code,
            2);
}

TEST(AuditProgramTest, ItsFolderGoesHoweverTheRunIsEnded) {
  for (const int number : {SIGTERM, SIGINT, SIGKILL}) {
    const testing::TemporaryDirectory folder, scratch;
    const Finished ended = testing::Run(
        {.program = "topicwall-audit",
         .arguments = {"--part", "noise", "--releases", "100000", "--scratch", scratch.path()},
         .folder = folder.path(),
         .in_child = [&] {
           const pid_t audit = getpid();
           if (fork() != 0) return;
           alarm(60);  // of one that never made it
           while (scratch.Names().empty()) usleep(1000);
           usleep(200'000);
           kill(audit, number);
           _exit(0);
         }});
    EXPECT_EQ(ended.exit_code, 128 + number);
    for (int i = 0; i < 10'000 && !scratch.Names().empty(); ++i) usleep(1000);
    EXPECT_THAT(scratch.Names(), ::testing::IsEmpty()) << number;
  }
}

}  // namespace
}  // namespace topicwall::audit
