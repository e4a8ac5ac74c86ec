#include "server/audit/run_audit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

using ::topicwall::testing::StatusIs;

// One part in its shortest form; false alarm of a run 1e-8.
class EveryPart : public ::testing::TestWithParam<Part> {};

TEST_P(EveryPart, HoldsForThisWallAndLeavesNothingBehind) {
  const testing::TemporaryDirectory folder;
  std::vector<std::string> lines;
  const auto report =
      RunAudit({.parts = {GetParam()},
                .releases = 24,
                .pairs = 6,
                .false_alarm_probability = 1e-8,
                .scratch_directory = folder.path(),
                .progress = [&](absl::string_view line) { lines.push_back(std::string(line)); }});
  ASSERT_OK(report);
  EXPECT_TRUE(report->Holds()) << TableOf(*report);
  std::set<std::string> claims;
  for (const Finding& finding : report->findings) {
    EXPECT_EQ(finding.part, GetParam());
    EXPECT_FALSE(finding.tried.empty()) << finding.claim;
    EXPECT_FALSE(finding.measured.empty()) << finding.claim;
    EXPECT_FALSE(finding.bound.empty()) << finding.claim;
    EXPECT_FALSE(finding.smallest_violation.empty()) << finding.claim;
    claims.insert(finding.claim + finding.tried);
  }
  EXPECT_EQ(claims.size(), report->findings.size()) << "no finding twice";
  const bool new_part = GetParam() == Part::kInputs || GetParam() == Part::kMemory;
  EXPECT_GE(claims.size(), new_part ? 1u : 5u);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0], "seed " + report->seed);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

INSTANTIATE_TEST_SUITE_P(Audit, EveryPart,
                         ::testing::Values(Part::kReplay, Part::kInputs, Part::kMemory,
                                           Part::kNoise, Part::kSampling, Part::kLedger,
                                           Part::kSchedule),
                         [](const ::testing::TestParamInfo<Part>& tested) {
                           return std::string(NameOf(tested.param));
                         });

TEST(RunAuditTest, ASeedThatIsGivenIsTheOneUsedAndOthersAreFresh) {
  const testing::TemporaryDirectory folder;
  AuditOptions options = {.parts = {Part::kLedger}, .scratch_directory = folder.path()};
  const auto one = RunAudit(options);
  const auto two = RunAudit(options);
  ASSERT_OK(one);
  ASSERT_OK(two);
  EXPECT_NE(one->seed, two->seed);
  options.seed = one->seed;
  const auto again = RunAudit(options);
  ASSERT_OK(again);
  EXPECT_EQ(again->seed, one->seed);
}

TEST(RunAuditTest, RefusesOptionsOutOfRange) {
  EXPECT_THAT(RunAudit({.seed = "12"}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RunAudit({.releases = 19}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RunAudit({.pairs = -1}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RunAudit({.false_alarm_probability = 0.5}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RunAudit({.scratch_directory = "/dev/null"}),
              StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::audit
