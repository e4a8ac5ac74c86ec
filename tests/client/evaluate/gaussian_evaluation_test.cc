#include "client/evaluate/gaussian_evaluation.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "client/evaluate/evaluation_question.h"
#include "model/gaussian/likelihood_model.h"
#include "tests/model/gaussian/statistic_by.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::topicwall::testing::StatusIs;

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

}  // namespace
}  // namespace topicwall::client
