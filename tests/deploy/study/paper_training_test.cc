#include "deploy/study/paper_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/deploy/study/planted_topics.h"
#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace paper_training_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

absl::StatusOr<Trained> Train(const std::string& text) {
  const auto recipe = ParseRecipe("algorithm=paper num_topics=5 batch=2000 " + text);
  EXPECT_OK(recipe);
  PlantedWall wall(20000);
  return TrainAsPublished(*recipe, wall.task());
}

// Documents of 5 words have norms up to √5: with noise of 2.24 for 2,000 documents in an iteration
// topics of 20 terms stand out, with its C = 50 words they drown.
TEST(PaperTrainingTest, FindsPlantedTopicsWhereTheClipSuitsTheDocuments) {
  ASSERT_OK_AND_ASSIGN(const auto suited, Train("sigma=1 clip=2.24 tau0=1 kappa=.5"));
  ASSERT_OK_AND_ASSIGN(const auto usual, Train("sigma=10 tau0=1 kappa=.5"));
  EXPECT_LT(PlantedPerplexity(suited.model), 45);
  EXPECT_GT(PlantedPerplexity(usual.model), 80);
  EXPECT_EQ(usual.clip_norm, 50);
  EXPECT_EQ(usual.noise_multiplier, 10);
}

TEST(PaperTrainingTest, TheSignedAverageStandsMoreNoise) {
  ASSERT_OK_AND_ASSIGN(const auto clamped, Train("sigma=10 clip=2.24 tau0=1 kappa=.5"));
  ASSERT_OK_AND_ASSIGN(const auto averaged,
                       Train("sigma=10 clip=2.24 tau0=1 kappa=.5 signed_average=1"));
  EXPECT_LT(PlantedPerplexity(averaged.model), PlantedPerplexity(clamped.model));
}

TEST(PaperTrainingTest, AnUnpaidQuantileIsWithinTheNorms) {
  ASSERT_OK_AND_ASSIGN(const auto trained,
                       Train("unpaid_quantile=.25 signed_average=1 tau0=1 kappa=.5"));
  EXPECT_GT(trained.clip_norm, 0.5);
  EXPECT_LT(trained.clip_norm, 2.3);
  EXPECT_LT(trained.kept_words, 1);
}

TEST(PaperTrainingTest, TheWholeBatchClipLeavesHardlyAWord) {
  ASSERT_OK_AND_ASSIGN(const auto trained, Train("whole_batch=1 tau0=1 kappa=.5"));
  EXPECT_LT(trained.kept_words, 0.2);
}

TEST(PaperTrainingTest, WithoutNoiseNothingIsClipped) {
  ASSERT_OK_AND_ASSIGN(const auto trained, Train("no_noise=1 tau0=1 kappa=.5"));
  EXPECT_LT(PlantedPerplexity(trained.model), 45);
  EXPECT_EQ(trained.kept_words, 1);
  EXPECT_EQ(trained.clip_norm, 0);
}

TEST(PaperTrainingTest, IsDeterministicForASeed) {
  ASSERT_OK_AND_ASSIGN(const auto first, Train("seed=3"), again = Train("seed=3"),
                       other = Train("seed=4"));
  ASSERT_OK(again);
  ASSERT_OK(other);
  EXPECT_EQ(first.model.topic_parameters(), again->model.topic_parameters());
  EXPECT_NE(first.model.topic_parameters(), other->model.topic_parameters());
}

TEST(PaperTrainingTest, ABatchIsPartOfTheCorpus) {
  for (const char* batch : {"batch=0", "batch=20001", "batch=-5"}) {
    EXPECT_THAT(Train(batch),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("batch must be")));
  }
}

}  // namespace paper_training_test
}  // namespace topicwall::study
