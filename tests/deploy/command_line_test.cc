// What a person meets first: help, and a wrong option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/deploy/shell_command.h"

namespace topicwall::deploy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A script's own name: those of the tests stand beside deploy/.
std::string NameOf(const std::string& script) { return script.substr(script.rfind('/') + 1); }

class CommandLine : public ::testing::TestWithParam<std::string> {};

TEST_P(CommandLine, HelpsWithAnExample) {
  const Outcome outcome = RunShell(Deployed(GetParam()) + " --help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output,
              AllOf(StartsWith("Usage: " + NameOf(GetParam())), HasSubstr("Example")));
}

TEST_P(CommandLine, RefusesAWrongOptionWithItsUsage) {
  const Outcome outcome = RunShell(Deployed(GetParam()) + " --no-such-option");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.output, HasSubstr("Usage: " + NameOf(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Deploy, CommandLine,
                         ::testing::Values("quickstart", "run-tests", "install-packages",
                                           "make-packages", "make-certificates",
                                           "catalogue-to-jsonl", "count-words", "fetch-catalogue",
                                           "compare-engines", "reproduce-paper", "measure-house",
                                           "run-sanitizers", "../tests/run-nightly",
                                           "../tests/mutants/write-table"),
                         [](const ::testing::TestParamInfo<std::string>& script) {
                           std::string name = NameOf(script.param);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace topicwall::deploy
