// What deploy/run-tests --quick chooses is there, and what deploy/steps.sh says of time is true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// The words of `text` between two others.
std::vector<std::string> WordsBetween(absl::string_view text, absl::string_view from,
                                      absl::string_view to) {
  const size_t start = text.find(from);
  if (start == absl::string_view::npos) return {};
  const size_t end = text.find(to, start);
  return absl::StrSplit(text.substr(start, end - start).substr(from.size()), absl::ByAnyChar(" \n"),
                        absl::SkipEmpty());
}

TEST(RunTests, QuickLeavesOutOnlyWhatThereIs) {
  const std::string help = RunShell(Deployed("run-tests") + " --help").output;
  const std::vector<std::string> left_out = WordsBetween(help, "Left out of them:", "--label");
  ASSERT_THAT(left_out, Not(IsEmpty()));
  for (const std::string& name : left_out) {
    const std::string pattern = absl::StrReplaceAll(name, {{".", ", *"}});
    const Outcome found = RunShell(absl::StrCat("grep -rqE 'TEST(_F|_P)?\\(", pattern, "\\b' ",
                                                TOPICWALL_SOURCE_DIR, "/tests"));
    EXPECT_EQ(found.exit_code, 0) << name;
  }
}

TEST(RunTests, QuickRunsRoomsThatHaveATestProgram) {
  const std::string help = RunShell(Deployed("run-tests") + " --help").output;
  const std::vector<std::string> rooms = WordsBetween(help, "Rooms:", "Left out");
  ASSERT_THAT(rooms, Not(IsEmpty()));
  for (const std::string& room : rooms) {
    const Outcome found =
        RunShell(absl::StrCat("grep -rqE '^topicwall_tests\\(", room, " ' ", TOPICWALL_SOURCE_DIR,
                              "/tests --include=CMakeLists.txt"));
    EXPECT_EQ(found.exit_code, 0) << room;
  }
}

TEST(RunTests, QuickTakesNoOtherSelection) {
  EXPECT_EQ(RunShell(Deployed("run-tests") + " --quick --label ledger").exit_code, 2);
}

TEST(RunTests, NightlyTakesOnlyHoursAndFormsThatThePageHasALineOf) {
  EXPECT_EQ(RunShell(Deployed("run-tests") + " --nightly").exit_code, 2);
  EXPECT_EQ(RunShell(Deployed("run-tests") + " --nightly crashes").exit_code, 2);
  const Outcome refused = RunShell(Deployed("run-tests") + " --nightly 1 --quick");
  EXPECT_EQ(refused.exit_code, 2);
  const std::vector<std::string> forms = WordsBetween(refused.output, "there are: ", "\n");
  ASSERT_THAT(forms, Not(IsEmpty()));
  for (const std::string& form : forms) {
    const Outcome found = RunShell(
        absl::StrCat("grep -qF '| ", form, " |' ", TOPICWALL_SOURCE_DIR, "/tests/NIGHTLY.md"));
    EXPECT_EQ(found.exit_code, 0) << form;
  }
}

// The shell's own clock is set forward instead of waiting.
Outcome Steps(const std::string& lines) {
  return RunShell(absl::StrCat("bash -euc 'source ", Deployed("steps.sh"),
                               "; take() { SECONDS=$((SECONDS + $1)); }; ", lines, "'"));
}

TEST(Steps, AStageOverItsLimitFails) {
  const Outcome outcome = Steps("step_within 1 Slow take 70; echo passed");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("(Slow: 7"), HasSubstr("it may: Slow: 7"),
                                    HasSubstr("at most 60 s"), Not(HasSubstr("passed"))));
}

TEST(Steps, AStageWithinItsLimitPasses) {
  const Outcome outcome = Steps("step_within 2 Quick take 60; echo passed");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, EndsWith("passed\n"));
}

TEST(Steps, AStageThatFailsEndsTheRunAtOnce) {
  const Outcome outcome = Steps("step_within 1 Broken false; echo passed");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, Not(HasSubstr("passed")));
}

}  // namespace
}  // namespace topicwall::deploy
