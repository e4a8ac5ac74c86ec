// topicwall-audit itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
