#include "deploy/study/private_training.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "deploy/study/score.h"
#include "lda/held_out_perplexity.h"
#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace {

constexpr int kTerms = 100;

// Each document is of one of five topics, which have 20 terms each.
lda::DocumentList Documents(uint64_t seed, int count) {
  std::mt19937_64 engine(seed);
  lda::DocumentList documents;
  for (int d = 0; d < count; ++d) {
    const auto topic = static_cast<uint32_t>(engine() % 5);
    std::vector<lda::TermCount> document;
    for (uint32_t i = static_cast<uint32_t>(engine() % 4); i < 20; i += 4) {
      document.push_back({.term = topic * 20 + i, .count = 1});
    }
    documents.Append(document);
  }
  return documents;
}

struct Outcome {
  Trained trained;
  double perplexity;
  double unigram;
};

absl::StatusOr<Outcome> Train(absl::string_view text) {
  const lda::DocumentList documents = Documents(1, 20000);
  const auto recipe = ParseRecipe(text);
  EXPECT_OK(recipe);
  SimulatedWall wall(
      {.documents = documents, .vocabulary_size = kTerms, .seed = 5, .num_threads = 1});
  const std::vector<double> unigram(kTerms, 1.0 / kTerms);
  auto trained = TrainPrivately(
      *recipe,
      {.wall = wall, .vocabulary_size = kTerms, .true_unigram = unigram, .num_threads = 1});
  if (!trained.ok()) return trained.status();
  const lda::TokenSplit split = lda::SplitTokens(Documents(2, 500), 1);
  const auto scores = ScoreModel(trained->model, split, 1);
  return Outcome{.trained = *std::move(trained),
                 .perplexity = scores->perplexity,
                 .unigram = ScoreUnigram(unigram, split.scored).perplexity};
}

TEST(PrivateTrainingTest, FindsPlantedTopicsThroughTheNoise) {
  const auto outcome = Train("num_topics=5 alpha=.1 epsilon=1");
  ASSERT_OK(outcome);
  EXPECT_NEAR(outcome->unigram, 100, 1e-6);
  // Knowing the topic leaves 20 terms; half of a document is enough to know it nearly always.
  EXPECT_LT(outcome->perplexity, 45);
  EXPECT_EQ(outcome->trained.unigram.size(), static_cast<size_t>(kTerms));
  EXPECT_GT(outcome->trained.noise_deviation, 0);
}

TEST(PrivateTrainingTest, IsDeterministicForASeed) {
  const auto first = Train("num_topics=5 alpha=.1 iterations=4 seed=3");
  const auto again = Train("num_topics=5 alpha=.1 iterations=4 seed=3");
  const auto other = Train("num_topics=5 alpha=.1 iterations=4 seed=4");
  ASSERT_OK(first);
  ASSERT_OK(again);
  ASSERT_OK(other);
  EXPECT_EQ(first->trained.model.topic_parameters(), again->trained.model.topic_parameters());
  EXPECT_NE(first->trained.model.topic_parameters(), other->trained.model.topic_parameters());
}

TEST(PrivateTrainingTest, WithoutNoiseAndClipIsAtLeastAsGood) {
  const auto noisy = Train("num_topics=5 alpha=.1 epsilon=.2");
  const auto exact = Train("num_topics=5 alpha=.1 no_noise=1 unigram_share=0 rho=1");
  ASSERT_OK(noisy);
  ASSERT_OK(exact);
  EXPECT_LE(exact->perplexity, noisy->perplexity * 1.01);
  EXPECT_EQ(exact->trained.noise_deviation, 0);
  EXPECT_EQ(exact->trained.kept_words, 1);
}

}  // namespace
}  // namespace topicwall::study
