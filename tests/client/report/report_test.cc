#include "client/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "client/evaluate/paid_plan.h"
#include "client/report/facts/model_facts.h"
#include "client/report/page/page.h"
#include "tests/client/report/made_up_report.h"
#include "tests/client/topics/made_up_model.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

using ReportTest = MadeUpReport;

TEST_F(ReportTest, TheSameSourcesGiveTheSameBytes) {
  EXPECT_EQ(RenderPage(Gather()), RenderPage(Gather()));
}

TEST_F(ReportTest, WhatStandsInAPageIsReadBackAsItWasGathered) {
  const v1::Report report = Gather();
  ASSERT_OK_AND_ASSIGN(const auto same, ReportInPage(RenderPage(report)));
  EXPECT_EQ(same.SerializeAsString(), report.SerializeAsString());
}

TEST(ReportFactsTest, SharesThatAreNotKnownAreNotDrawn) {
  v1::Report report;
  ASSERT_OK(AddModelFacts(MadeUpModel(1, 10000), "", report));
  const std::string page = RenderPage(report);
  EXPECT_THAT(page, AllOf(HasSubstr("share not known"), HasSubstr("All of one size")));
  EXPECT_THAT(page, Not(HasSubstr("Area: share")));
  EXPECT_THAT(page, Not(HasSubstr("comes again: ")));
  EXPECT_THAT(page, Not(HasSubstr("<b>0.0")));
}

// The expected numbers are those of the files as they were made up: exp(6100/1020), and 80 of 100
// documents.
TEST_F(ReportTest, EveryPartSaysWhatItsSourceSays) {
  const v1::Report report = Gather();
  ASSERT_EQ(report.topics_size(), kMadeUpTopics);
  for (const v1::ReportedTopic& topic : report.topics()) {
    EXPECT_NEAR(topic.share(), 1.0 / 3, 0.01);
    EXPECT_GT(topic.recurs(), 0.9);
    EXPECT_EQ(topic.typical_words(), 5);
    EXPECT_EQ(topic.words(0).term().substr(0, 4), "word");
    EXPECT_LE(topic.words(0).low(), topic.words(0).probability());
    EXPECT_GE(topic.words(0).high(), topic.words(0).probability());
  }
  EXPECT_EQ(report.common_words(0).term(), "the");
  ASSERT_EQ(report.evaluations_size(), 1);
  EXPECT_NEAR(report.evaluations(0).perplexity(), std::exp(6100.0 / 1020), 0.01);
  EXPECT_NEAR(report.evaluations(0).words(), 1020, 1e-9);
  EXPECT_NEAR(report.evaluations(0).words_deviation(), std::hypot(3 / 0.1, std::sqrt(1020 / 2.0)),
              1e-4);
  ASSERT_EQ(report.prevalences_size(), 1);
  EXPECT_NEAR(report.prevalences(0).groups(0).topics(0).share(), 0.8, 1e-5);
  EXPECT_NEAR(report.prevalences(0).groups(1).topics(0).share(), 0.3, 1e-5);
  EXPECT_TRUE(report.prevalences(0).groups(2).none());
  ASSERT_EQ(report.comparison().matches_size(), kMadeUpTopics);
  for (const v1::ReportedMatch& match : report.comparison().matches()) {
    EXPECT_EQ(match.number(), match.other_number());
    EXPECT_GT(match.likeness(), 0.9);
  }
}

TEST_F(ReportTest, APageHasTheTenParts) {
  const std::string html = RenderPage(Gather());
  for (const char* part : {"<header>", "id=\"map\"", "id=\"topics\"", "id=\"words\"",
                           "The commonest words", "id=\"quality\"", "id=\"prevalence\"",
                           "id=\"comparison\"", "id=\"privacy\"", "id=\"method\""}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
}

TEST_F(ReportTest, WithoutALedgerNothingIsSaidOfTheBudget) {
  ReportSources sources = Sources();
  sources.ledger.reset();
  ASSERT_OK_AND_ASSIGN(const auto report, GatherReport(sources));
  EXPECT_FALSE(report.has_ledger());
  EXPECT_THAT(RenderPage(report), AllOf(Not(HasSubstr("id=\"privacy\"")),
                                        HasSubstr("The releases of this model alone are")));
}

TEST_F(ReportTest, ALedgerThatDoesNotVerifyIsNotReported) {
  ReportSources sources = Sources();
  (*sources.ledger)[5].set_commitment(std::string(32, 'x'));
  EXPECT_THAT(GatherReport(sources), StatusIs(absl::StatusCode::kDataLoss));
}

// With whatever else may be promised there: a sheet of it would promise what nobody did.
TEST_F(ReportTest, ALedgerThatKnowsNotEveryPlanOfTheReportIsRefused) {
  ReportSources sources = Sources();
  ChainBuilder another;
  another.Reserve("spiffe://topicwall/analyst/alice", "plan-8-of-the-words", NoiseOf(8), 4);
  sources.ledger = another.entries();
  EXPECT_THAT(GatherReport(sources),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("plan-9-of-the-topics"), HasSubstr("corpus notes"))));
  another.Reserve("spiffe://topicwall/analyst/alice", "plan-9-of-the-topics", NoiseOf(9), 4);
  sources.ledger = another.entries();
  EXPECT_THAT(GatherReport(sources), StatusIs(absl::StatusCode::kFailedPrecondition,
                                              HasSubstr("plan-7-of-the-perplexity")));
  another.Reserve("spiffe://topicwall/analyst/alice", "plan-7-of-the-perplexity", NoiseOf(7), 4);
  sources.ledger = another.entries();
  EXPECT_THAT(GatherReport(sources),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("plan-10-of-the-years")));
  another.Reserve("spiffe://topicwall/analyst/alice", "plan-10-of-the-years", NoiseOf(10), 4);
  sources.ledger = another.entries();
  EXPECT_OK(GatherReport(sources));
}

// Its plans are there, and so somebody altered what it says of itself.
TEST_F(ReportTest, AModelThatNamesAnotherCorpusThanTheLedgersIsRefused) {
  model_.set_corpus_version("another");
  WriteFolder("notes.model", model_);
  EXPECT_THAT(GatherReport(Sources()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("says that it is of corpus notes, version 616e6f74686572")));
  model_.clear_corpus_version();
  model_.set_corpus("letters");
  WriteFolder("notes.model", model_);
  EXPECT_THAT(GatherReport(Sources()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("of corpus letters")));
}

// Asked about the model as well, it has a budget and a ledger of its own; so does a later version.
TEST_F(ReportTest, WhatAnotherCorpusSaidOfTheModelIsPaidElsewhereAndSaidToBe) {
  const std::string years = Path("notes.model/prevalence-year.pb");
  v1::PrevalenceFile file = **ReadPrevalence(years);
  file.mutable_plan()->set_plan_id("1234567890 of mail");
  file.mutable_plan()->mutable_plan()->set_corpus("mail");
  ASSERT_OK(WritePaid(file, years));
  const std::string html = RenderPage(Gather());
  EXPECT_THAT(html, HasSubstr("Plan 12345678 is of corpus mail and paid from its budget"));
  file.mutable_plan()->mutable_plan()->set_corpus("notes");
  ASSERT_OK(WritePaid(file, years));
  EXPECT_THAT(GatherReport(Sources()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("1234567890 of mail")));
  file.mutable_plan()->mutable_plan()->set_corpus_version("the next version");
  ASSERT_OK(WritePaid(file, years));
  EXPECT_EQ(Gather().prevalences_size(), 1);
}

TEST_F(ReportTest, AModelWithoutAPlanHasNoLedgerButWhatAWallToldOfItHas) {
  model_.clear_plan_id();
  model_.clear_unigram_plan_id();
  model_.clear_corpus();
  model_.clear_custodian_id();
  model_.set_epsilon(std::numeric_limits<double>::infinity());
  WriteFolder("plain.model", model_);
  ReportSources sources = Sources();
  sources.model = Path("plain.model");
  EXPECT_THAT(GatherReport(sources),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("without a wall")));
  // Paid from another budget: this one has promised nothing of it.
  v1::PrevalenceFile file = **ReadPrevalence(Path("notes.model/prevalence-year.pb"));
  file.mutable_plan()->set_plan_id("of mail");
  file.mutable_plan()->mutable_plan()->set_corpus("mail");
  ASSERT_OK(WritePaid(file, Path("plain.model/prevalence-mail.pb")));
  EXPECT_THAT(GatherReport(sources),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("without a wall")));
  sources.prevalences = {Path("notes.model/prevalence-year.pb")};
  ASSERT_OK_AND_ASSIGN(v1::Report report, GatherReport(sources));
  const std::string sheet = "Privacy of <i>notes</i>: sheet";
  const std::string topics = "The topics are of documents of one’s own";
  EXPECT_THAT(RenderPage(report), AllOf(HasSubstr(sheet), HasSubstr("differentially private"),
                                        HasSubstr(topics), Not(HasSubstr("this page, and it"))));
  sources.ledger.reset();
  ASSERT_OK_AND_ASSIGN(report, GatherReport(sources));
  EXPECT_THAT(RenderPage(report),
              AllOf(Not(HasSubstr(sheet)), HasSubstr("What a wall told of its documents"),
                    Not(HasSubstr("nothing is promised to the people in them."))));
}

// What was known of them makes the number better than it is.
TEST_F(ReportTest, AnEvaluationOfUnitsThatTheFitHasSeenSaysSo) {
  const std::string warning = "the model was fitted to some of them";
  const std::string unseen = "Documents that the fit has not seen";
  EXPECT_THAT(RenderPage(Gather()), AllOf(HasSubstr(warning), Not(HasSubstr(unseen))));
  model_.set_held_out_share(0.1);
  WriteFolder("notes.model", model_);
  EXPECT_THAT(RenderPage(Gather()), AllOf(HasSubstr(unseen), Not(HasSubstr(warning))));
  model_.set_corpus_version("an earlier one");  // and nothing says that it held the same ones out
  WriteFolder("notes.model", model_);
  v1::LedgerEvent earlier;  // which spends from this budget as well
  earlier.mutable_corpus_joined()->set_corpus("notes");
  earlier.mutable_corpus_joined()->set_corpus_version("an earlier one");
  chain_.Append(earlier);
  EXPECT_THAT(RenderPage(Gather()), AllOf(HasSubstr(warning), Not(HasSubstr(unseen))));
}

// Paid for, and marked on the sheet as what the report's numbers are from.
TEST_F(ReportTest, APrevalenceOfAllDocumentsIsDrawn) {
  const std::string path = Path("notes.model/prevalence-year.pb");
  v1::PrevalenceFile file = **ReadPrevalence(path);
  file.clear_attributes();
  v1::PrevalenceOptions options;
  options.mutable_topics()->set_num_topics(kMadeUpTopics);
  file.mutable_plan()->mutable_plan()->set_options(options.SerializeAsString());
  file.clear_releases();
  file.add_releases(proto::FloatsToLittleEndian({80, 15, 5, 100}));
  ASSERT_OK(WritePaid(file, path));
  const v1::Report report = Gather();
  ASSERT_EQ(report.prevalences_size(), 1);
  ASSERT_EQ(report.prevalences(0).groups_size(), 1);
  EXPECT_NEAR(report.prevalences(0).groups(0).topics(0).share(), 0.8, 1e-5);
  EXPECT_THAT(RenderPage(report),
              AllOf(HasSubstr("<h3>All documents of <i>notes</i></h3>"),
                    HasSubstr("class=\"heat\""), HasSubstr(">prevalence</th>")));
}

// A folder of a copy has a model, whose fit goes on elsewhere.
TEST_F(ReportTest, ACopyOfAnUnfinishedFitIsReportedByItsModel) {
  model_.mutable_unfinished()->set_releases_done(4);
  model_.mutable_unfinished()->set_releases(20);
  WriteFolder("copy.model", model_);
  ReportSources sources = Sources();
  sources.model = Path("copy.model");
  sources.compare = Path("copy.model");
  ASSERT_OK_AND_ASSIGN(const auto report, GatherReport(sources));
  EXPECT_EQ(report.comparison().sha256(), report.model().sha256());
  EXPECT_THAT(RenderPage(report),
              AllOf(HasSubstr("SHA-256 of model.pb"), HasSubstr("SHA-256 of its model.pb"),
                    HasSubstr("ε of all 20 releases of this model’s plans")));
}

// Another model may have been in the folder before.
TEST_F(ReportTest, AnEvaluationOfOtherTopicsIsPassedOver) {
  EXPECT_EQ(Gather().evaluations_size(), 1);
  v1::ModelFile other = MadeUpModel(3, 10);
  other.set_plan_id(model_.plan_id());
  other.set_epsilon(Alone(9, 4));
  WriteFolder("notes.model", other);
  EXPECT_EQ(Gather().evaluations_size(), 0);
}

TEST_F(ReportTest, APrevalenceOfOtherTopicsIsRefusedWhenItIsNamedAndPassedOverWhenItIsNot) {
  ReportSources sources = Sources();
  sources.model = Path("mail.model");
  sources.compare.clear();
  sources.ledger.reset();
  EXPECT_EQ(GatherReport(sources)->prevalences_size(), 0);
  sources.prevalences = {Path("notes.model/prevalence-year.pb")};
  EXPECT_THAT(GatherReport(sources), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace topicwall::client
