#include "client/evaluate/evaluator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace evaluator_test {

using ::topicwall::testing::StatusIs;

lda::TopicModel Model(std::vector<float> parameters) {
  return *lda::TopicModel::Create({.num_topics = 2,
                                   .vocabulary_size = 4,
                                   .document_topic_prior = 0.5,
                                   .topic_term_prior = 0.5,
                                   .topic_parameters = std::move(parameters)});
}

lda::DocumentList Documents() {
  lda::DocumentList documents;
  documents.Append({{.term = 0, .count = 40}, {.term = 1, .count = 40}});
  documents.Append({});
  documents.Append({{.term = 2, .count = 60}, {.term = 3, .count = 20}});
  return documents;
}

TEST(EvaluatorTest, UnderFlatTopicsEveryMeasureIsTheSizeOfTheVocabulary) {
  ASSERT_OK_AND_ASSIGN(
      const auto result,
      Evaluate(Model({5000, 5000, 5000, 5000, 5000, 5000, 5000, 5000}), Documents(), {.seed = 1}));
  EXPECT_NEAR(result.completion.perplexity, 4, 1e-5);
  EXPECT_NEAR(result.unigram.perplexity, 4, 1e-5);
  EXPECT_EQ(result.documents, 2);
  EXPECT_EQ(result.empty_documents, 1);
  ASSERT_TRUE(result.bound.has_value());
  EXPECT_EQ(result.bound->tokens, 160);
  EXPECT_FALSE(result.whole_documents.has_value());
  EXPECT_EQ(result.unigram.tokens, result.completion.tokens);
}

TEST(EvaluatorTest, TopicsThatFitBeatTheirOwnUnigram) {
  ASSERT_OK_AND_ASSIGN(const auto result, Evaluate(Model({900, 900, 1, 1, 1, 1, 1350, 450}),
                                                   Documents(), {.seed = 1}));
  EXPECT_LT(result.completion.perplexity, 2.1);
  EXPECT_GT(result.unigram.perplexity, 3.5);
}

// Each document is of one component, so that even half of it tells which.
TEST(EvaluatorTest, AMixtureIsHeldBesideTheSameUnigram) {
  const lda::TopicModel model = Model({900, 900, 1, 1, 1, 1, 1350, 450});
  const auto mixture =
      EvaluateMixture(model, std::vector<double>{.5, .5}, Documents(), {.seed = 1});
  const auto topics = Evaluate(model, Documents(), {.seed = 1});
  ASSERT_OK(mixture);
  EXPECT_LT(mixture->completion.perplexity, 2.1);
  ASSERT_TRUE(mixture->whole_documents.has_value());
  EXPECT_EQ(mixture->whole_documents->tokens, 160);
  EXPECT_FALSE(mixture->bound.has_value());
  EXPECT_EQ(mixture->unigram.perplexity, topics->unigram.perplexity);
  EXPECT_EQ(mixture->completion.tokens, topics->completion.tokens);
}

TEST(EvaluatorTest, ThePublicUnigramIsCountedFromTheTextGiven) {
  // Only term 0 occurs, 16 times: p(0) = (16 + .1)/(16 + .4), the others .1/16.4 each.
  lda::DocumentList text;
  text.Append({{.term = 0, .count = 16}});
  lda::DocumentList documents;
  documents.Append({{.term = 0, .count = 1000}});
  ASSERT_OK_AND_ASSIGN(const auto result, Evaluate(Model({1, 1, 1, 1, 1, 1, 1, 1}), documents,
                                                   {.seed = 1, .unigram_documents = &text}));
  EXPECT_NEAR(result.unigram.perplexity, 16.4 / 16.1, 1e-9);
}

TEST(EvaluatorTest, TheSeedDecidesTheSplit) {
  const lda::TopicModel model = Model({900, 900, 1, 1, 1, 1, 1350, 450});
  const auto one = Evaluate(model, Documents(), {.seed = 1});
  EXPECT_EQ(Evaluate(model, Documents(), {.seed = 1})->completion.perplexity,
            one->completion.perplexity);
  EXPECT_NE(Evaluate(model, Documents(), {.seed = 2})->completion.tokens, one->completion.tokens);
}

TEST(EvaluatorTest, NothingToScoreIsAnError) {
  lda::DocumentList empty;
  empty.Append({});
  EXPECT_THAT(Evaluate(Model({1, 1, 1, 1, 1, 1, 1, 1}), empty, {.seed = 1}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace evaluator_test
}  // namespace topicwall::client
