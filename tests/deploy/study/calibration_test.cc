#include "deploy/study/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "deploy/study/outcome.h"
#include "tests/deploy/study/planted_topics.h"
#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace calibration_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// Two of ten at 0.15, of which one is true; eight at 0.95, of which all are: 0.2·0.35 + 0.8·0.05.
TEST(CalibrationTest, TheErrorIsTheMeanDistanceOfWhatWasSaidFromWhatWasFound) {
  std::vector<Statement> statements(8, {.said = 0.95, .found = 1});
  statements.push_back({.said = 0.15, .found = 1});
  statements.push_back({.said = 0.15, .found = 0});
  const Reliability reliability = ReliabilityOf(statements);
  EXPECT_NEAR(reliability.error, 0.2 * 0.35 + 0.8 * 0.05, 1e-12);
  EXPECT_EQ(reliability.bins[9].statements, 8);
  EXPECT_NEAR(reliability.bins[1].found, 0.5, 1e-12);
  EXPECT_EQ(ReliabilityOf({{.said = 1, .found = 1}}).bins[9].statements, 1);
}

// A thousand topics at 0.7, each looked for in four fits: the mean of |X/4000 − 0.7| of a binomial
// X is √(2/π · 0.7 · 0.3/4000), by the normal limit to within 1 in 1000.
TEST(CalibrationTest, WhatChanceLeavesIsTheMeanDistanceOfATrueStatement) {
  const std::vector<Statement> topics(1000, {.said = 0.7, .found = 0.7, .trials = 4});
  EXPECT_NEAR(ReliabilityOf(topics).by_chance, 0.00578, 1e-5);
  EXPECT_EQ(ReliabilityOf({{.said = 1, .found = 1}}).by_chance, 0);
}

Experiment Planted() {
  std::vector<std::string> terms;
  for (int v = 0; v < kPlantedTerms; ++v) {
    terms.push_back({static_cast<char>('a' + v / 26), static_cast<char>('a' + v % 26)});
  }
  lda::DocumentList held_out = PlantedDocuments(2, 100);
  lda::TokenSplit split = lda::SplitTokens(held_out, 1);
  return {.documents = PlantedDocuments(1, 3000),
          .held_out = std::move(held_out),
          .split = std::move(split),
          .vocabulary = *lda::Vocabulary::Create(terms),
          .unigram = std::vector<double>(kPlantedTerms, 1.0 / kPlantedTerms)};
}

absl::StatusOr<Outcome> RunText(const char* text, const Experiment& experiment) {
  absl::StatusOr<Recipe> recipe = ParseRecipe(text);
  if (!recipe.ok()) return recipe.status();
  return RunRecipe(*recipe, experiment, 1);
}

// Five topics of twenty words each: what is shown of them is above the corpus, and in a second fit
// that is the same to the bit all come again. A recipe of another ε is no other fit of the same.
TEST(CalibrationTest, TopicsComeAgainInFitsOfTheSameRecipeAlone) {
  const Experiment experiment = Planted();
  Calibration calibration(experiment, 1);
  for (const char* text : {"num_topics=5 iterations=20 epsilon=8 seed=1",
                           "num_topics=5 iterations=20 seed=1 epsilon=8",
                           "num_topics=5 iterations=20 epsilon=5 seed=3"}) {
    ASSERT_OK_AND_ASSIGN(const auto outcome, RunText(text, experiment));
    ASSERT_OK(calibration.Add(outcome));
  }
  const std::vector<Statement> topics = calibration.Topics();
  ASSERT_EQ(topics.size(), 15U);
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(topics[i].found, 1) << i;
  for (size_t i = 10; i < 15; ++i) EXPECT_EQ(topics[i].found, 0) << "the only fit of its recipe";
  const std::vector<Statement> words = calibration.Words();
  double said = 0, above = 0;
  for (const Statement& word : words) {
    if (!(word.said > 0.95)) continue;
    said += 1;
    above += word.found;
  }
  EXPECT_GT(said, 150);
  EXPECT_GT(above, 0.95 * said);
  const nlohmann::json fit = nlohmann::json::parse(calibration.JsonOfFit(0));
  ASSERT_EQ(fit["topics"].size(), 5U);
  int carried_by_twenty = 0;
  for (const nlohmann::json& topic : fit["topics"]) {
    EXPECT_EQ(topic["came_again"], 1);
    const double carrying = topic["carrying_words"].get<double>();
    if (carrying > 10 && carrying < 21) ++carried_by_twenty;
  }
  EXPECT_GE(carried_by_twenty, 4) << "of five, planted with twenty words each";
  EXPECT_THAT(calibration.Tables(), HasSubstr("topics that come again: 15, ECE "));
}

TEST(CalibrationTest, AFitWithoutNoiseToJudgeByIsRefused) {
  const Experiment experiment = Planted();
  for (const char* text : {"algorithm=online num_topics=5 passes=1",
                           "algorithm=mixture num_topics=5 iterations=3 epsilon=8",
                           "num_topics=5 iterations=3 no_noise=1"}) {
    const auto outcome = RunText(text, experiment);
    ASSERT_OK(outcome) << text;
    EXPECT_THAT(Calibration(experiment, 1).Add(*outcome),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("with noise")))
        << text;
  }
}

}  // namespace calibration_test
}  // namespace topicwall::study
