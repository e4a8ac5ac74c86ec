#include "client/commands/prevalence_text.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/client/evaluate/made_up_prevalence.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using PrevalenceTextTest = MadeUpPrevalence;

TEST_F(PrevalenceTextTest, TheTableTellsWhatIsKnownAndWhatIsNot) {
  const std::string by_year = TextOf(Report({"year"}), 10);
  EXPECT_THAT(by_year, AllOf(HasSubstr("2024-01-01"), HasSubstr("bird"), HasSubstr("falls"),
                             HasSubstr("all documents")));
  // Nine groups: one line each.
  const std::string all = TextOf(Report({"ward", "year"}), 10);
  EXPECT_THAT(all, AllOf(HasSubstr("north 2023-01-01"), HasSubstr("too few documents")));
  // The smaller topic is not among the one shown.
  EXPECT_THAT(TextOf(Report({"ward"}), 1), Not(HasSubstr("car bird")));
}

// 2 topics of 3 groups; fields with commas and quotes are quoted, and NaN is an empty field.
TEST_F(PrevalenceTextTest, CsvHasARowForEachTopicOfEachGroup) {
  const std::string csv = CsvOf(Report({"ward"}));
  EXPECT_THAT(csv, HasSubstr("ward,topic,share,low,high"));
  EXPECT_THAT(csv, HasSubstr("\r\n\"south, \"\"deep\"\"\",1,"));
  EXPECT_THAT(csv, HasSubstr("\r\nother,2,,0.0,1.0,"));
  const std::string json = JsonOf(Report({"ward"})).Text();
  EXPECT_THAT(json, AllOf(HasSubstr("\"by\":[\"ward\"]"), HasSubstr("\"none\":true"),
                          HasSubstr("\"share\":null")));
}

}  // namespace
}  // namespace topicwall::client
