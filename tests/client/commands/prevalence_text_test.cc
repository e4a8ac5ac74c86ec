#include "client/commands/prevalence_text.h"

#include <gmock/gmock.h>

#include <string>

#include "client/topics/topic_labels.h"
#include "proto/matrix_codec.h"
#include "tests/client/evaluate/made_up_prevalence.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using PrevalenceTextTest = MadeUpPrevalence;

TEST_F(PrevalenceTextTest, TheTableTellsWhatIsKnownAndWhatIsNot) {
  const std::string by_year = TextOf(Report({"year"}), {"bird", "car"}, 10);
  EXPECT_THAT(by_year, AllOf(HasSubstr("2024-01-01"), HasSubstr("bird"), HasSubstr("falls"),
                             HasSubstr("all documents")));
  // Nine groups: one line each.
  const std::string all = TextOf(Report({"ward", "year"}), {"bird", "car"}, 10);
  EXPECT_THAT(all, AllOf(HasSubstr("north 2023-01-01"), HasSubstr("too few documents")));
  // The smaller topic is not among the one shown.
  EXPECT_THAT(TextOf(Report({"ward"}), {"bird", "car"}, 1), Not(HasSubstr("car")));
}

// "day" is as frequent in both topics: it says nothing of either, whatever its probability.
TEST_F(PrevalenceTextTest, TopicsAreCalledAsTheirModelCallsThem) {
  const testing::TemporaryDirectory folder;
  model_.set_topic_parameters(proto::FloatsToLittleEndian({9, 1, 10, 1, 9, 10}));
  PrevalenceReport report = Report({"year"});
  auto names = NamesOf(folder.path(), model_, report);
  ASSERT_OK(names);
  EXPECT_THAT(*names, ElementsAre("bird", "car"));
  ASSERT_OK(WriteLabels(folder.path(), {"", "traffic"}));
  names = NamesOf(folder.path(), model_, report);
  ASSERT_OK(names);
  EXPECT_THAT(*names, ElementsAre("bird", "traffic"));
  report = Report({"year"}, {{0, 1}});
  names = NamesOf(folder.path(), model_, report);
  ASSERT_OK(names);
  EXPECT_THAT(*names, ElementsAre("traffic"));
}

// Of five topics 1 and 3 are one, and 4 is the third of the report. Between the years it changes.
TEST_F(PrevalenceTextTest, AChangeNamesTheModelsTopicsAsTheTableDoes) {
  v1::ReleaseSpec& plan = *file_.mutable_plan()->mutable_plan();
  v1::PrevalenceOptions options;
  options.mutable_topics()->set_num_topics(5);
  options.add_attributes(0);
  plan.set_options(options.SerializeAsString());
  file_.mutable_attributes()->DeleteSubrange(0, 1);
  // Of 100 documents a year topic 4 has 10 and then 70, topic 2 what is left.
  file_.set_releases(0, proto::FloatsToLittleEndian({5, 80, 5, 10, 0, 100,  //
                                                     5, 20, 5, 70, 0, 100,  //
                                                     0, 0, 0, 0, 0, 0}));
  const std::string text = TextOf(Report({"year"}, {{0, 2}}), {"one", "two", "three", "four"}, 10);
  EXPECT_THAT(text, AllOf(ContainsRegex("\n  4 +three +rises"), ContainsRegex("\n  2 +two +falls"),
                          ContainsRegex("\n  1\\+3 +10\\.0")));
}

// Of no documents in either year nothing is known, which is not that nothing changed; of ten in
// each, all of one topic, it is.
TEST_F(PrevalenceTextTest, OfAChangeThatCannotBeToldNoNumberIs) {
  EXPECT_THAT(JsonOf(Report({"year", "ward"})).Text(),
              AllOf(HasSubstr(R"("to":["2024-01-01","other"],"difference":null,)"
                              R"("standard_error":null,"p_value":null,"adjusted_p_value":null)"),
                    HasSubstr(R"(deep\""],"difference":0.0,"standard_error":0.01)")));
}

// Noise may leave a group less than none, by less than is told.
TEST_F(PrevalenceTextTest, WhatRoundsToNothingHasNoSign) {
  PrevalenceReport report = Report({"ward"});
  report.groups[0].documents = -0.3;
  report.groups[0].documents_error = 0.1;
  EXPECT_THAT(TextOf(report, {"bird", "car"}, 10), AllOf(HasSubstr("0 ± 0"), Not(HasSubstr("-0"))));
}

TEST_F(PrevalenceTextTest, AChangeThatIsKnownIsToldWithADigitThatCounts) {
  PrevalenceReport report = Report({"year"});
  for (prevalence::PrevalenceDifference& change : report.changes) {
    change.difference = change.topic == 0 ? -0.000412 : 0.0481;
    change.adjusted_p_value = 5e-8;
  }
  EXPECT_THAT(TextOf(report, {"bird", "car"}, 10),
              AllOf(HasSubstr("falls"), HasSubstr("-0.04 points, p 5e-08"),
                    HasSubstr("+4.8 points, p 5e-08"), Not(HasSubstr("-0.0 "))));
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
