// A report of a mixture of Gaussians: its numbers against what its model says by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/evaluate/paid_plan.h"
#include "client/report/page/page.h"
#include "client/report/verification.h"
#include "client/wall/topics_asked.h"
#include "tests/client/report/made_up_vectors_report.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace vectors_report_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

using VectorsReportTest = MadeUpVectorsReport;

// Of the whole: mean (.25, −.375, .75), variances .04 + 3/16·(1, ¼, 1).
TEST_F(VectorsReportTest, AComponentIsToldInTheUnitsOfTheVectorsAndByWhatSetsItApart) {
  ASSERT_OK_AND_ASSIGN(const auto report, ReportOfFaces());
  ASSERT_EQ(report.topics_size(), 2);
  const v1::ReportedTopic& topic = report.topics(0);
  EXPECT_EQ(topic.share(), 0.25);
  // √((1 − ¼)² + ¼²) of 1.96 × 0.1; of a count it is that of all 4,000.
  EXPECT_NEAR(topic.share_margin(), 0.195996 * std::sqrt(0.625), 1e-6);
  EXPECT_EQ(topic.component().size(), 1);
  EXPECT_NEAR(topic.component().spread(), std::sqrt(3 * 0.04), 1e-6);
  EXPECT_NEAR(topic.component().distance(), std::sqrt(2 * 0.5625 + 0.140625), 1e-5);
  ASSERT_EQ(topic.component().dimensions_size(), 3);
  const char* const names[] = {"x1", "x3", "x2"};
  const double means[] = {1, 0, 0}, wholes[] = {0.25, 0.75, -0.375};
  const double variances[] = {0.2275, 0.2275, 0.086875};
  for (int i = 0; i < 3; ++i) {
    const v1::ReportedDimension& dimension = topic.component().dimensions(i);
    EXPECT_EQ(dimension.name(), names[i]);
    EXPECT_NEAR(dimension.mean(), means[i], 1e-9);
    EXPECT_NEAR(dimension.whole(), wholes[i], 1e-9);
    EXPECT_NEAR(dimension.standardised(), (means[i] - wholes[i]) / std::sqrt(variances[i]), 1e-5);
  }
  // Two points are on one axis.
  EXPECT_EQ(std::fabs(topic.x()), 1);
  EXPECT_EQ(report.topics(1).x(), -topic.x());
  EXPECT_EQ(topic.y(), 0);
  const std::string html = RenderPage(report);
  // A quarter of 4,000, heaviest first.
  EXPECT_THAT(html,
              AllOf(HasSubstr("<td>1,000 ± 784</td>"), HasSubstr("+1.6 (1.00, of all 0.250)")));
  EXPECT_LT(html.find("id=\"t2\""), html.find("id=\"t1\""));
  EXPECT_THAT(html, AllOf(HasSubstr("±: 95 %, by the noise alone"),
                          HasSubstr("another fit may divide the vectors otherwise")));
}

// Of two counts with a deviation of 0.24 of all vectors each, all together have 0.34: a third and
// more.
TEST_F(VectorsReportTest, OfCountsThatAreNoMoreThanNoiseNoShareIsTold) {
  faces_.mutable_gaussian()->set_count_deviation(0.24);
  ASSERT_OK_AND_ASSIGN(const auto report, ReportOfFaces());
  EXPECT_FALSE(report.topics(0).has_share());
  EXPECT_EQ(report.topics(0).share_margin(), 0);
  EXPECT_THAT(RenderPage(report),
              AllOf(HasSubstr("<b>not known</b>"), HasSubstr("<td>not known</td>"),
                    HasSubstr("their shares are not known")));
}

// Means on a line in a plane of five dimensions, at 0, 1 and 3: the map has their distances.
TEST_F(VectorsReportTest, TheMapHasTheMeansOnTheirPrincipalAxes) {
  faces_.set_num_topics(3);
  faces_.clear_component_weights();
  for (const double weight : {0.5, 0.25, 0.25}) faces_.add_component_weights(weight);
  faces_.mutable_gaussian()->clear_means();
  for (const double step : {0.0, 0.1, 0.3}) {
    for (const double direction : {2.0, -1.0, 2.0}) {
      faces_.mutable_gaussian()->add_means(step * direction);
    }
  }
  for (int i = 0; i < 3; ++i) faces_.mutable_gaussian()->add_variances(0.01);
  ASSERT_OK_AND_ASSIGN(const auto report, ReportOfFaces());
  const double x0 = report.topics(0).x(), x1 = report.topics(1).x(), x2 = report.topics(2).x();
  EXPECT_NEAR((x1 - x0) / (x2 - x0), 1.0 / 3, 1e-3);
  for (const v1::ReportedTopic& topic : report.topics()) EXPECT_EQ(topic.y(), 0);
}

TEST_F(VectorsReportTest, ThePageHasTheSheetAndTheMethodAndNothingOfWords) {
  ASSERT_OK_AND_ASSIGN(const auto report, ReportOfFaces());
  const std::string html = RenderPage(report);
  for (const char* part : {"map", "components", "privacy", "method"}) {
    EXPECT_THAT(html, AllOf(HasSubstr(absl::StrCat("<section id=\"", part, "\"")),
                            HasSubstr(absl::StrCat("href=\"#", part, "\""))));
  }
  EXPECT_THAT(html, AllOf(Not(HasSubstr("id=\"words\"")), Not(HasSubstr("id=\"step\"")),
                          Not(HasSubstr("Perplexity")), Not(HasSubstr("Park, Mijung"))));
  EXPECT_THAT(html, AllOf(HasSubstr("2 components"), HasSubstr("A mixture of Gaussians with"),
                          HasSubstr("2 components of vectors of 3 dimensions, norm at most 2.00")));
  // Words of a document are not counted, and J is that of both of its stages but the first.
  EXPECT_THAT(html, HasSubstr("topicwall fit notes --algorithm gaussian --topics 2 --iterations 12 "
                              "--epsilon-alone 0.15647 --model"));
  EXPECT_THAT(html, Not(HasSubstr("--max-words")));
}

// The whole was paid for as well, by a plan of its own.
TEST_F(VectorsReportTest, EveryStagesPlanIsMarkedOnTheSheetAndMustBeInTheLedger) {
  ASSERT_OK_AND_ASSIGN(auto report, ReportOfFaces());
  int marked = 0;
  for (const v1::ReportedPlan& plan : report.ledger().plans()) marked += plan.is_of_report();
  EXPECT_EQ(marked, 2);
  AddStage("many", "plan-of-nobody", 3);
  EXPECT_THAT(ReportOfFaces(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                        AllOf(HasSubstr("plan plan-of-nobody, of its stage many"),
                                              HasSubstr("is not in the ledger"))));
}

TEST_F(VectorsReportTest, AnEvaluationOnVectorsIsALogDensity) {
  v1::EvaluationFile file = EvaluationOf(faces_);
  v1::ReleaseSpec& plan = *file.mutable_plan()->mutable_plan();
  plan.set_model(kGaussianLikelihood);
  v1::GaussianOptions options;
  options.set_num_components(2);
  plan.set_options(options.SerializeAsString());
  file.set_noise_standard_deviation(1);
  file.add_negative_log_likelihoods(2000);
  file.add_words(400);
  file.set_nats_taken_off(-4);
  WriteFolder("faces.model", faces_);
  ASSERT_OK(WritePaid(file, Path("faces.model/evaluation-1.pb")));
  ASSERT_OK_AND_ASSIGN(const auto report, ReportOfFaces());
  ASSERT_EQ(report.evaluations_size(), 1);
  EXPECT_EQ(report.evaluations(0).log_density(), -1);
  EXPECT_THAT(RenderPage(report), AllOf(HasSubstr("<b>−1.000</b>"), HasSubstr("log density"),
                                        Not(HasSubstr("Perplexity"))));
}

TEST_F(VectorsReportTest, WhatStandsInThePageIsReadBackAndChecked) {
  const std::string hostile = "</script><img src=x onerror=alert(1)>";
  faces_.set_terms(0, hostile);
  ASSERT_OK_AND_ASSIGN(const auto report, ReportOfFaces());
  const std::string html = RenderPage(report);
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  ASSERT_OK_AND_ASSIGN(const auto told, ReportInPage(html));
  EXPECT_EQ(told.SerializeAsString(), report.SerializeAsString());
  EXPECT_THAT(DifferencesOfPage(html, told, "1.2.3"), IsEmpty());
  v1::Report altered = told;
  altered.mutable_topics(1)->clear_component();
  EXPECT_THAT(ReportInPage(RenderPage(altered)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("do not belong together")));
}

}  // namespace vectors_report_test
}  // namespace topicwall::client
