#include "client/fit_algorithm.h"

#include <gtest/gtest.h>

#include "client/checkpoint.h"
#include "client/denoised_plans.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

v1::CheckpointFile Denoised() {
  v1::PlanSpec plan;
  plan.set_sampling_rate(1);
  plan.set_iterations(4);
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

// σC = 2·5 for each of three counts: their sum has deviation 17.
TEST(FitAlgorithmTest, CountsThatAreNoiseStopADenoisedFit) {
  v1::CheckpointFile checkpoint = Denoised();
  EXPECT_THAT(RestoreAlgorithm(checkpoint), StatusIs(absl::StatusCode::kInvalidArgument))
      << "not before the unigram is there";
  checkpoint.mutable_unigram_counts()->Resize(3, 20);
  EXPECT_THAT(RestoreAlgorithm(checkpoint), StatusIs(absl::StatusCode::kFailedPrecondition));
  checkpoint.mutable_unigram_counts()->Resize(0, 0);
  checkpoint.mutable_unigram_counts()->Resize(3, 2000);
  EXPECT_OK(RestoreAlgorithm(checkpoint));
}

TEST(FitAlgorithmTest, ADenoisedModelIsAnnotatedWithNoiseAndUnigram) {
  v1::CheckpointFile checkpoint = Denoised();
  checkpoint.mutable_unigram_counts()->Resize(3, 2000);
  const auto algorithm = RestoreAlgorithm(checkpoint);
  ASSERT_OK(algorithm);
  Release release;
  release.statistics = {900, 500, 100, 300, 700, 200};
  release.header.set_noise_standard_deviation(7);
  ASSERT_OK((*algorithm)->TakeIn(release));
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
