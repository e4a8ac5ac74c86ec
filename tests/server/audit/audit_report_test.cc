#include "server/audit/audit_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"

namespace topicwall::audit {
namespace {

using ::testing::HasSubstr;

Finding FindingWith(Verdict verdict) {
  return {Part::kNoise,
          "noise has standard deviation σC in every single entry of every release that there is, "
          "whichever it be",
          "2000 samples",
          "variance 0.50000 of (σC)²",
          "0.99 … 1.01",
          "1 %",
          verdict};
}

AuditReport ReportOf(std::vector<Finding> findings) {
  return {.seed = "00112233445566778899aabbccddeeff",
          .findings = std::move(findings),
          .releases = 100,
          .pairs = 60,
          .false_alarm_probability = 1e-6,
          .kernel_name = "portable",
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
