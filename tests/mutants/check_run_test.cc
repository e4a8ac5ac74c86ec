#include "tests/mutants/check_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topicwall::mutants {
namespace {

using Outcome = CheckResult::Outcome;

TEST(RunCheckTest, ACheckThatPassesPassesAndCountsItsReleases) {
  const CheckResult result = RunCheck(
      {.program = "mechanism_test", .filter = "NoiseMechanismTest.TheHistogramCountsUnits"}, "");
  EXPECT_EQ(result.outcome, Outcome::kPassed) << result.output;
  EXPECT_EQ(result.releases, 1);
  EXPECT_THAT(result.failed, ::testing::IsEmpty());
}

TEST(RunCheckTest, AFailureNamesTheTestsThatFailed) {
  const CheckResult result = RunCheck({.program = "mechanism_test", .filter = "GridScaleTest.*"},
                                      "integer-sensitivity-rounded-up");
  EXPECT_EQ(result.outcome, Outcome::kFailed) << result.output;
  EXPECT_THAT(result.failed,
              ::testing::Contains("GridScaleTest.TheBoundIsTheLargestThatThePaidNoiseCovers"));
}

TEST(RunCheckTest, NoSuchTestAndNoSuchProgramAreNoFailures) {
  EXPECT_EQ(RunCheck({.program = "mechanism_test", .filter = "NoSuchTest.*"}, "").outcome,
            Outcome::kNothingRan);
  EXPECT_EQ(RunCheck({.program = "no_such_test", .filter = "*"}, "").outcome, Outcome::kCrashed);
}

}  // namespace
}  // namespace topicwall::mutants
