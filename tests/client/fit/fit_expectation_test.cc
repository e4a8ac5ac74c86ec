#include "client/fit/fit_expectation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "client/fit/denoised_plans.h"
#include "client/fit/fit_algorithm.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::CorpusDescription Description() {
  v1::CorpusDescription description;
  description.set_corpus("notes");
  description.set_vocabulary_size(8000);
  description.set_nominal_size(60000);
  return description;
}

FitPlans Plans(double noise_multiplier) {
  v1::PlanSpec topics;
  topics.set_sampling_rate(1);
  topics.set_iterations(20);
  topics.mutable_lda()->set_num_topics(20);
  const auto plans = PlanDenoised(topics, noise_multiplier);
  return {.algorithm = kDenoised, .topics = plans->topics, .unigram = plans->unigram};
}

TEST(DocumentsOfTest, TheAnalystsAssumptionGoesBeforeTheCustodiansStatement) {
  EXPECT_EQ(*DocumentsOf(Description(), {}), 60000);
  EXPECT_EQ(*DocumentsOf(Description(), {.num_documents = 7}), 7);
  v1::CorpusDescription silent = Description();
  silent.clear_nominal_size();
  EXPECT_EQ(*DocumentsOf(silent, {}), std::nullopt);
  EXPECT_EQ(*DocumentsOf(silent, {.num_documents = 7}), 7);
  EXPECT_THAT(DocumentsOf(silent, {.num_documents = 0}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("nominal-size")));
}

TEST(ExpectationOfTest, IsThatOfTheNoiseModelForBothPlans) {
  const FitPlans plans = Plans(30);
  const auto expected =
      ExpectationOf(plans, Description(), {.num_documents = {}, .words_per_document = 36});
  ASSERT_OK(expected);
  ASSERT_TRUE(expected->has_value());
  const auto by_model =
      lda::ExpectSignal({.num_documents = 60000, .words_per_document = 36, .vocabulary_size = 8000},
                        {.num_topics = 20,
                         .iterations = 20,
                         .sampling_rate = 1,
                         .noise_multiplier = plans.topics.noise_multiplier(),
                         .counts_noise_multiplier = 30,
                         .counts_clip_norm = 5});
  ASSERT_OK(by_model);
  EXPECT_EQ((*expected)->judged.signal_to_noise, by_model->judged.signal_to_noise);
  EXPECT_EQ((*expected)->counts_signal, by_model->counts_signal);
}

TEST(ExpectationOfTest, UnitsThatAreHeldOutGiveNoSignal) {
  FitPlans plans = Plans(30);
  const auto all = ExpectationOf(plans, Description(), {});
  plans.topics.set_held_out_share(0.25);
  const auto rest = ExpectationOf(plans, Description(), {});
  ASSERT_OK(all);
  ASSERT_OK(rest);
  EXPECT_NEAR((*rest)->judged.signal, 0.75 * (*all)->judged.signal, 1e-9);
  EXPECT_EQ((*rest)->judged.noise, (*all)->judged.noise);
}

TEST(ExpectationOfTest, NothingIsExpectedOfACorpusOfUnknownSizeOrOfAnotherAlgorithm) {
  v1::CorpusDescription silent = Description();
  silent.clear_nominal_size();
  EXPECT_EQ(*ExpectationOf(Plans(30), silent, {}), std::nullopt);
  FitPlans paper = {.algorithm = kPaper, .topics = Plans(30).topics, .unigram = {}};
  EXPECT_EQ(*ExpectationOf(paper, Description(), {}), std::nullopt);
}

TEST(ExpectationOfTest, DocumentsOfLessThanAWordAreNoAssumption) {
  EXPECT_THAT(
      ExpectationOf(Plans(30), Description(), {.num_documents = {}, .words_per_document = 0.5}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("words_per_document")));
}

TEST(WarningOfTest, AFitThatIsWorthItsPriceHasNone) {
  EXPECT_EQ(WarningOf(**ExpectationOf(Plans(16), Description(), {}), 1), "");
}

TEST(WarningOfTest, JunkIsCalledJunkAndTheEpsilonThatWouldDoIsNamed) {
  const auto expected = ExpectationOf(Plans(130), Description(), {});
  ASSERT_OK(expected);
  ASSERT_TRUE((*expected)->IsJunk());
  const std::string warning = WarningOf(**expected, 0.1);
  EXPECT_THAT(warning, HasSubstr("warning: at epsilon 0.1"));
  EXPECT_THAT(warning, HasSubstr("junk"));
  EXPECT_THAT(warning, HasSubstr("rank 1000"));
  // There are 0.46 of the 1.1 deviations that are needed.
  EXPECT_THAT(warning, HasSubstr("epsilon of about 0.24"));
}

TEST(WarningOfTest, CountsThatDrownAreTheFirstThingToSay) {
  const auto expected = ExpectationOf(Plans(900), Description(), {});
  ASSERT_OK(expected);
  EXPECT_THAT(WarningOf(**expected, 0.01), HasSubstr("stop before its topics"));
}

}  // namespace
}  // namespace topicwall::client
