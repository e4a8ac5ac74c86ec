#include "client/fit/fit_algorithm.h"

#include <gtest/gtest.h>

#include "client/fit/checkpoint.h"
#include "client/fit/denoised_plans.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::CheckpointFile Denoised() {
  v1::PlanSpec plan;
  plan.set_sampling_rate(1);
  plan.set_iterations(3);  // too few for one that is flat
  plan.mutable_lda()->set_num_topics(2);
  plan.mutable_lda()->add_document_topic_prior(0.5);
  const DenoisedPlans plans = *PlanDenoised(plan, 2);
  v1::CorpusDescription description;
  description.set_vocabulary_size(3);
  description.mutable_limits()->set_max_e_step_iterations(50);
  return *NewCheckpoint({.algorithm = kDenoised, .topics = plans.topics, .unigram = plans.unigram},
                        description, {.clip_norm = 2, .seed = 1});
}

TEST(FitAlgorithmTest, UnknownNamesAreRefusedWithTheKnownOnes) {
  EXPECT_OK(CheckAlgorithmName("denoised"));
  EXPECT_OK(CheckAlgorithmName("signed-average"));
  EXPECT_OK(CheckAlgorithmName("paper"));
  EXPECT_THAT(CheckAlgorithmName("m-step"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("denoised, signed-average or paper; got \"m-step\"")));
}

// σC = 10 for each of three counts: their sum has deviation 17.
Release CountsOf(float words) {
  Release release;
  release.statistics = {words, words, words};
  release.header.set_noise_standard_deviation(10);
  return release;
}

TEST(FitAlgorithmTest, CountsThatAreNoiseStopADenoisedFit) {
  v1::CheckpointFile checkpoint = Denoised();
  const std::string before = checkpoint.SerializeAsString();
  EXPECT_THAT(RestoreAlgorithm(checkpoint), StatusIs(absl::StatusCode::kFailedPrecondition))
      << "not before the unigram is there";
  EXPECT_THAT(BeginUnigram(CountsOf(20), checkpoint),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("noise")));
  EXPECT_EQ(checkpoint.SerializeAsString(), before);
  EXPECT_OK(BeginUnigram(CountsOf(2000), checkpoint));
  EXPECT_OK(RestoreAlgorithm(checkpoint));
}

// Of two topics, with σC = 7.
Release TopicsOf2700Words() {
  Release release;
  release.statistics = {900, 500, 100, 300, 700, 200};
  release.header.set_noise_standard_deviation(7);
  return release;
}

// What a crash between two releases must not lose: the counts of those that were flat.
TEST(FitAlgorithmTest, EveryReleaseOfTheTopicsSharpensTheUnigramThatIsSaved) {
  v1::CheckpointFile checkpoint = Denoised();
  ASSERT_OK(BeginUnigram(CountsOf(2000), checkpoint));
  const double after_one = checkpoint.unigram_precisions(0);
  const auto algorithm = RestoreAlgorithm(checkpoint);
  ASSERT_OK(algorithm);
  ASSERT_OK((*algorithm)->TakeIn(TopicsOf2700Words()));
  (*algorithm)->Save(checkpoint);
  // M²/s² of 2,700 words in two topics, w = 1.
  EXPECT_NEAR(checkpoint.unigram_precisions(0) - after_one, 2700.0 * 2700 / (2 * 7 * 7), 0.1);
}

TEST(FitAlgorithmTest, ADenoisedModelIsAnnotatedWithNoiseAndUnigram) {
  v1::CheckpointFile checkpoint = Denoised();
  ASSERT_OK(BeginUnigram(CountsOf(2000), checkpoint));
  const auto algorithm = RestoreAlgorithm(checkpoint);
  ASSERT_OK(algorithm);
  ASSERT_OK((*algorithm)->TakeIn(TopicsOf2700Words()));
  v1::ModelFile model;
  (*algorithm)->Annotate(model);
  ASSERT_EQ(model.noise_deviations_size(), 3);
  EXPECT_NEAR(model.noise_deviations(1), 7, 1e-5) << "one release, no weights";
  EXPECT_NEAR(
      model.term_probabilities(0) + model.term_probabilities(1) + model.term_probabilities(2), 1,
      1e-9);
  EXPECT_EQ(model.noisy_statistics().size(), 24u);
}

}  // namespace
}  // namespace topicwall::client
