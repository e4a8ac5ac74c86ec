#include "deploy/study/mixture_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/deploy/study/planted_topics.h"
#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace mixture_training_test {

absl::StatusOr<Trained> Train(absl::string_view text) {
  const auto recipe = ParseRecipe(text);
  EXPECT_OK(recipe);
  PlantedWall wall(20000);
  return TrainMixture(*recipe, wall.task());
}

// 20 where the topic is known, 100 where it is not: half of a document tells it.
TEST(MixtureTrainingTest, FindsPlantedTopicsThroughTheNoise) {
  ASSERT_OK_AND_ASSIGN(const auto trained, Train("algorithm=mixture num_topics=5 epsilon=1"));
  ASSERT_EQ(trained.component_weights.size(), 5u);
  ASSERT_OK_AND_ASSIGN(const auto mixture,
                       mixture::FittedMixture::Create(trained.model, trained.component_weights));
  const lda::TokenSplit split = lda::SplitTokens(PlantedDocuments(2, 500), 1);
  const Scores scores = ScoreMixture(mixture, split);
  EXPECT_LT(scores.perplexity, 45);
  EXPECT_NEAR(scores.perplexity / mixture.Completion(split)->perplexity, 1, 1e-12);
}

TEST(MixtureTrainingTest, IsDeterministicForASeed) {
  ASSERT_OK_AND_ASSIGN(const auto first,
                       Train("algorithm=mixture num_topics=5 iterations=4 seed=3"));
  ASSERT_OK_AND_ASSIGN(const auto again,
                       Train("algorithm=mixture num_topics=5 iterations=4 seed=3"));
  EXPECT_EQ(first.model.topic_parameters(), again.model.topic_parameters());
  EXPECT_EQ(first.component_weights, again.component_weights);
}

}  // namespace mixture_training_test
}  // namespace topicwall::study
