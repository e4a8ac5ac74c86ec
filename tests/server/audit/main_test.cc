// topicwall-audit itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

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
  EXPECT_EQ(few.exit_code, 1);
  EXPECT_THAT(few.errors, HasSubstr("releases must be in"));
}

}  // namespace
}  // namespace topicwall::audit
