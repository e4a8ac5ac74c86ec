#include "deploy/study/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/deploy/study/planted_topics.h"
#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace outcome_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

Experiment Planted() {
  std::vector<std::string> terms;
  for (int v = 0; v < kPlantedTerms; ++v) terms.push_back("term" + std::to_string(v));
  lda::DocumentList held_out = PlantedDocuments(2, 50);
  lda::TokenSplit split = lda::SplitTokens(held_out, 1);
  return {.documents = PlantedDocuments(1, 400),
          .held_out = std::move(held_out),
          .split = std::move(split),
          .vocabulary = *lda::Vocabulary::CreateOpaque(std::move(terms)),
          .unigram = std::vector<double>(kPlantedTerms, 1.0 / kPlantedTerms)};
}

absl::StatusOr<Outcome> Made(absl::string_view text, const Experiment& experiment) {
  const auto recipe = ParseRecipe(text);
  EXPECT_OK(recipe);
  return RunRecipe(*recipe, experiment, 1);
}

constexpr Scores kUnigram = {.perplexity = 100, .document_perplexity = 100};

TEST(OutcomeTest, IsToldWithTheTopicsMostLikeThoseOfTheReference) {
  const Experiment experiment = Planted();
  ASSERT_OK_AND_ASSIGN(
      const auto outcome,
      Made("algorithm=paper num_topics=4 batch=40 no_noise=1 tau0=1 kappa=.5", experiment));
  EXPECT_GT(outcome.bound, 1);
  EXPECT_FALSE(outcome.paid.has_value());
  const std::string json =
      JsonOf(outcome, experiment, {.model = outcome.trained.model, .topics = {2}});
  EXPECT_THAT(json, HasSubstr("\"recipe\":\"algorithm=paper num_topics=4 batch=40 no_noise=1"));
  EXPECT_THAT(json, HasSubstr("\"topics\":[{\"topic\":2,\"words\":[{\"term\":\"term"));
  EXPECT_THAT(json, Not(HasSubstr("paid_unigram")));
}

TEST(OutcomeTest, OfAPaidUnigramSaysWhatItIsWorth) {
  const Experiment experiment = Planted();
  ASSERT_OK_AND_ASSIGN(const auto outcome,
                       Made("num_topics=5 iterations=2 epsilon=50", experiment));
  ASSERT_TRUE(outcome.paid.has_value());
  EXPECT_NEAR(outcome.paid->perplexity, 100, 10);
  EXPECT_THAT(JsonOf(outcome, experiment, {.model = outcome.trained.model, .topics = {}}),
              AllOf(HasSubstr("\"paid_unigram\":"), HasSubstr("\"weak_topics\":"),
                    HasSubstr("\"topics\":[]")));
  EXPECT_THAT(TextOf(outcome, kUnigram, 20), AllOf(HasSubstr("gap"), HasSubstr("unigram")));
  EXPECT_THAT(TextOf(outcome, kUnigram, 0), Not(HasSubstr("gap")));
}

TEST(OutcomeTest, OfAnOnlineFitIsScoredToo) {
  ASSERT_OK_AND_ASSIGN(const auto outcome,
                       Made("algorithm=online num_topics=5 passes=20", Planted()));
  EXPECT_LT(outcome.scores.perplexity, 60);
}

// The yardstick, by passes as few as a quarter of the private fit's and by as many.
TEST(OutcomeTest, AFitWithoutPrivacyIsNoWorseThanAPrivateOneOfALargeBudget) {
  const Experiment experiment = Planted();
  ASSERT_OK_AND_ASSIGN(const auto ours, Made("num_topics=5 epsilon=50", experiment));
  for (const char* const plain :
       {"algorithm=online num_topics=5 passes=10", "algorithm=online num_topics=5 passes=40"}) {
    ASSERT_OK_AND_ASSIGN(const auto yardstick, Made(plain, experiment));
    EXPECT_LE(yardstick.scores.perplexity, ours.scores.perplexity) << plain;
  }
}

TEST(OutcomeTest, AModelThatIsNotThereIsAnError) {
  EXPECT_THAT(
      Made("algorithm=file model=" + ::testing::TempDir() + "no_such_model", Planted()).status(),
      StatusIs(absl::StatusCode::kNotFound, HasSubstr("no_such_model")));
}

TEST(OutcomeTest, TheCorpusIsToldForTheSameReader) {
  EXPECT_THAT(JsonOf(Planted(), kUnigram),
              AllOf(HasSubstr("\"documents\":400,"), HasSubstr("\"terms\":100,"),
                    HasSubstr("\"held_out_documents\":50,"), HasSubstr("\"unigram\":100")));
}

}  // namespace outcome_test
}  // namespace topicwall::study
