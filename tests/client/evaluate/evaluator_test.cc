#include "client/evaluate/evaluator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <vector>

#include "client/evaluate/evaluation_question.h"
#include "model/gaussian/likelihood_model.h"
#include "tests/model/gaussian/statistic_by.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

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

// One dimension, bound 2: components N(−0.5, 0.1²) and N(0.5, 0.1²), in units of it.
v1::ModelFile TwoGaussiansOnALine() {
  v1::ModelFile model;
  model.set_num_topics(2);
  model.set_vocabulary_size(1);
  v1::GaussianComponents& gaussian = *model.mutable_gaussian();
  gaussian.set_norm_bound(2);
  for (const double mean : {-0.5, 0.5}) {
    model.add_component_weights(0.5);
    gaussian.add_means(mean);
    gaussian.add_variances(0.01);
  }
  return model;
}

// At both means: log(0.5/(0.1·√(2π))), for the other component is ten deviations away. The whole
// has variance 0.26: −½ log(2π·0.26) − ½·0.25/0.26.
TEST(GaussianEvaluationTest, VectorsAreScaledByTheModelsBoundAndScoredByTheMixture) {
  testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/mine.jsonl";
  std::ofstream(path) << "{\"vector\":[1]}\n{\"vector\":[-1]}\n";
  ASSERT_OK_AND_ASSIGN(const auto mine, ReadVectorsFor(TwoGaussiansOnALine(), path));
  ASSERT_OK_AND_ASSIGN(const auto found, EvaluateGaussians(TwoGaussiansOnALine(), mine));
  EXPECT_EQ(found.vectors, 2);
  EXPECT_NEAR(found.log_likelihood, 0.69049938, 1e-6);
  EXPECT_NEAR(found.one_gaussian, -0.72617105, 1e-6);
}

// As fits of dimensions that do not vary used to leave it.
TEST(GaussianEvaluationTest, AVarianceBelowTheWallsLeastIsScoredAsTheWallScoresIt) {
  v1::ModelFile model = TwoGaussiansOnALine();
  for (double& variance : *model.mutable_gaussian()->mutable_variances()) variance = 1e-10;
  ASSERT_OK_AND_ASSIGN(const auto here,
                       EvaluateGaussians(model, {.dimension = 1, .values = {0.5F}}));
  ASSERT_OK_AND_ASSIGN(const auto sent, AskedParameters(model));
  const model::SparseStatistic there =
      gaussian::StatisticBy(gaussian::MakeLikelihoodModel, {{0.5F}}, sent, 2, 1);
  ASSERT_EQ(there.values.size(), 2);
  EXPECT_NEAR(here.log_likelihood, -double{there.values[0]} - NatsTakenOff(model), 1e-4);
}

// One deviation off in the dimension that varies, at the mean of the others: what is taken off is
// what it costs, and the clip has nothing to take.
TEST(GaussianEvaluationTest, DimensionsThatDoNotVaryDoNotMakeATypicalVectorLookFar) {
  constexpr int kConstant = 400;
  v1::ModelFile model;
  model.set_num_topics(1);
  model.set_vocabulary_size(1 + kConstant);
  model.add_component_weights(1);
  for (int j = 0; j <= kConstant; ++j) {
    model.mutable_gaussian()->add_means(0);
    model.mutable_gaussian()->add_variances(j == 0 ? 0.01 : 1e-10);
  }
  std::vector<float> typical(1 + kConstant);
  typical[0] = 0.1F;
  ASSERT_OK_AND_ASSIGN(const auto sent, AskedParameters(model));
  const model::SparseStatistic there =
      gaussian::StatisticBy(gaussian::MakeLikelihoodModel, {typical}, sent, 1, 1 + kConstant);
  ASSERT_EQ(there.values.size(), 2);
  EXPECT_NEAR(there.values[0], 0, 0.01);
}

TEST(GaussianEvaluationTest, NoVectorsHaveNoLikelihood) {
  EXPECT_THAT(EvaluateGaussians(TwoGaussiansOnALine(), {.dimension = 1, .values = {}}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace evaluator_test
}  // namespace topicwall::client
