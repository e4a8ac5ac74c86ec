#include "server/audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// One part in its shortest form; false alarm of a run 1e-8.
class EveryPart : public ::testing::TestWithParam<const char*> {};

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
  EXPECT_FALSE(claims.empty());
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0], "seed " + report->seed);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

INSTANTIATE_TEST_SUITE_P(Audit, EveryPart,
                         ::testing::Values("memory", "replay", "inputs", "noise", "sampling",
                                           "ledger", "schedule"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(RunAuditTest, RefusesOptionsOutOfRange) {
  EXPECT_THAT(RunAudit({.seed = "12"}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RunAudit({.releases = 19}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RunAudit({.pairs = -1}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RunAudit({.false_alarm_probability = 0.5}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(RunAudit({.scratch_directory = "/dev/null"}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

Finding FindingWith(Verdict verdict) {
  return {
      "noise has standard deviation σC in every single entry of every release that there is, "
      "whichever it be",
      "2000 samples",
      "variance 0.50000 of (σC)²",
      "0.99 … 1.01",
      "1 %",
      verdict,
      "noise"};
}

AuditReport ReportOf(std::vector<Finding> findings) {
  return {.seed = "00112233445566778899aabbccddeeff",
          .options = {},
          .kernel_name = "portable",
          .findings = std::move(findings),
          .seconds = 12};
}

TEST(AuditReportTest, HoldsOnlyIfEveryFindingDoesAndThereIsOne) {
  EXPECT_FALSE(ReportOf({}).Holds());
  EXPECT_TRUE(ReportOf({FindingWith(Verdict::kHolds)}).Holds());
  for (const Verdict bad : {Verdict::kViolated, Verdict::kUtilityLost, Verdict::kNotFinished}) {
    const AuditReport report = ReportOf({FindingWith(Verdict::kHolds), FindingWith(bad)});
    EXPECT_FALSE(report.Holds()) << NameOf(bad);
    EXPECT_EQ(report.Count(bad), 1);
    EXPECT_EQ(report.Count(Verdict::kHolds), 1);
  }
}

TEST(AuditReportTest, TheTableSaysEverythingAndFitsTheTerminal) {
  const std::string table =
      TableOf(ReportOf({FindingWith(Verdict::kViolated), FindingWith(Verdict::kHolds)}));
  EXPECT_EQ(table.rfind("seed 00112233445566778899aabbccddeeff\n", 0), 0u) << "first of all";
  for (const char* part : {"VIOLATED", "holds", "2000 samples", "variance 0.50000", "0.99 … 1.01",
                           "would see  1 %", "1 violated", "1e-06", "portable"}) {
    EXPECT_THAT(table, HasSubstr(part));
  }
  for (const absl::string_view line : absl::StrSplit(table, '\n')) {
    int columns = 0;
    for (const char c : line) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
    EXPECT_LE(columns, 100) << line;
  }
}

TEST(AuditReportTest, ProgramsReadTheSame) {
  const std::string json =
      JsonOf(ReportOf({FindingWith(Verdict::kViolated), FindingWith(Verdict::kHolds)})).Text();
  for (const char* member :
       {R"({"seed":"00112233445566778899aabbccddeeff","holds":false,"violated":1)",
        R"("part":"noise","verdict":"VIOLATED")", R"("kernel":"portable")"}) {
    EXPECT_THAT(json, HasSubstr(member));
  }
}

}  // namespace
}  // namespace topicwall::audit
