// topicwall-audit itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Finished {
  int exit_code;
  std::string output, errors;
};

Finished Audit(const std::string& arguments) {
  const testing::TemporaryDirectory folder;
  const std::string out = folder.path() + "/out";
  const std::string err = folder.path() + "/err";
  const int status =
      std::system(absl::StrCat(TOPICWALL_BINARY_DIR, "/topicwall-audit ", arguments, " --scratch ",
                               folder.path(), " </dev/null >", out, " 2>", err)
                      .c_str());
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .output = testing::ReadWholeFile(out),
          .errors = testing::ReadWholeFile(err)};
}

TEST(AuditProgramTest, SaysHowItWentInTextJsonAndExitCode) {
  const Finished help = Audit("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, AllOf(HasSubstr("Example:\n  topicwall-audit --part noise"),
                                 HasSubstr("--json"), HasSubstr("--long")));
  const std::string seed = "00112233445566778899aabbccddeeff";
  const Finished table = Audit("--part schedule --seed " + seed);
  EXPECT_EQ(table.exit_code, 0) << table.output;
  EXPECT_THAT(table.output, AllOf(StartsWith("seed " + seed), HasSubstr("schedule  holds")));
  EXPECT_THAT(table.errors, HasSubstr("schedule"));  // progress
  const Finished json = Audit("--part schedule --json --seed " + seed);
  EXPECT_EQ(json.exit_code, 0) << json.output;
  EXPECT_THAT(json.output, StartsWith(R"({"seed":")" + seed + R"(","holds":true,)"));
}

TEST(AuditProgramTest, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_EQ(Audit("--part everything").exit_code, 2);
  const Finished few = Audit("--releases 3");
  EXPECT_EQ(few.exit_code, 1);
  EXPECT_THAT(few.errors, HasSubstr("releases must be in"));
}

}  // namespace
}  // namespace topicwall::audit
