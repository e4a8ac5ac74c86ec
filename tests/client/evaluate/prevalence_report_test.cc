#include "client/evaluate/prevalence_report.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/client/evaluate/made_up_prevalence.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

using PrevalenceReportTest = MadeUpPrevalence;

TEST_F(PrevalenceReportTest, GroupsAreNamedAndHaveTheirShares) {
  const PrevalenceReport report = Report({"ward", "year"});
  ASSERT_EQ(report.groups.size(), 9u);
  EXPECT_THAT(report.labels[1], ElementsAre("north", "2024-01-01"));
  EXPECT_THAT(report.labels[8], ElementsAre("other", "other"));
  EXPECT_NEAR(report.groups[0].topics[0].share, 0.8, 1e-6);
  EXPECT_NEAR(report.groups[1].topics[0].share, 0.2, 1e-6);
  EXPECT_TRUE(report.groups[8].none);
  EXPECT_NEAR(report.all.documents, 170, 1e-6);
  EXPECT_NEAR(report.all.topics[0].share, 110.0 / 170, 1e-6);
}

// In the order asked for, which need not be the plan's.
TEST_F(PrevalenceReportTest, AttributesStandInTheOrderAskedFor) {
  const PrevalenceReport report = Report({"year", "ward"});
  EXPECT_THAT(report.labels[1], ElementsAre("2023-01-01", "south, \"deep\""));
  EXPECT_NEAR(report.groups[1].documents, 10, 1e-6);
  EXPECT_NEAR(report.groups[3].documents, 50, 1e-6);
}

TEST_F(PrevalenceReportTest, ChangesAreToldFromPeriodToPeriodWithinAGroupAndNeverToOther) {
  const PrevalenceReport report = Report({"year", "ward"});
  ASSERT_EQ(report.changes.size(), 6u);  // two topics of three wards
  for (const prevalence::PrevalenceDifference& change : report.changes) {
    EXPECT_EQ(report.labels[static_cast<size_t>(change.pair.from)][0], "2023-01-01");
    EXPECT_EQ(report.labels[static_cast<size_t>(change.pair.to)][0], "2024-01-01");
    EXPECT_EQ(report.labels[static_cast<size_t>(change.pair.from)][1],
              report.labels[static_cast<size_t>(change.pair.to)][1]);
  }
  EXPECT_NEAR(report.changes[0].difference, -0.6, 1e-6);
  EXPECT_EQ(report.changes[0].direction(), prevalence::Direction::kFalls);
  EXPECT_EQ(report.changes[2].direction(), prevalence::Direction::kUnclear);
  EXPECT_TRUE(Report({"ward"}).changes.empty());
  EXPECT_EQ(Report({}).groups.size(), 1u);
}

// Both topics are all there is: their shares add up to all, whatever the noise.
TEST_F(PrevalenceReportTest, TopicsThatAreMergedAddUp) {
  const PrevalenceReport report = Report({"ward"}, {{1, 0}});
  EXPECT_THAT(report.topics, ElementsAre(ElementsAre(0, 1)));
  ASSERT_EQ(report.groups[0].topics.size(), 1u);
  EXPECT_NEAR(report.groups[0].topics[0].share, 1, 1e-12);
  for (const std::vector<std::vector<int>>& wrong :
       {std::vector<std::vector<int>>{{0, 2}}, {{-1, 0}}, {{0, 0}}, {{0}, {0, 1}}}) {
    EXPECT_THAT(ReportOf(file_, {.by = {}, .merged = wrong}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("topics to merge")));
  }
}

TEST_F(PrevalenceReportTest, AnAttributeThatIsNamedTwiceIsRefusedByName) {
  EXPECT_THAT(ReportOf(file_, {.by = {"ward", "year", "ward"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got ward twice")));
}

}  // namespace
}  // namespace topicwall::client
