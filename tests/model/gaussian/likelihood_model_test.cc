#include "model/gaussian/likelihood_model.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "tests/model/gaussian/statistic_by.h"
#include "tests/support/status_matchers.h"

namespace topicwall::gaussian {
namespace likelihood_model_test {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;
using ::topicwall::testing::StatusIs;

std::vector<float> NumbersOf(const std::vector<std::vector<float>>& vectors,
                             const std::vector<float>& parameters, int num_components,
                             int dimension) {
  return StatisticBy(MakeLikelihoodModel, vectors, parameters, num_components, dimension).values;
}

// The density of a normal distribution, as a textbook has it.
double Normal(double x, double mean, double variance) {
  return std::exp(-(x - mean) * (x - mean) / (2 * variance)) /
         std::sqrt(2 * std::numbers::pi * variance);
}

// In two dimensions, π = (¾, ¼), m = (0, ½) and (¼, 0), variances (¼, 1/16) and (1, ½).
const std::vector<float> kTwo = {std::log(.75F), 0, .5F, 4, 16, std::log(.25F), .25F, 0, 1, 2};

double LogDensityOfTwo(double x, double y) {
  return std::log(.75 * Normal(x, 0, .25) * Normal(y, .5, 1. / 16) +
                  .25 * Normal(x, .25, 1) * Normal(y, 0, .5));
}

TEST(LikelihoodModelTest, AUnitsTwoNumbersAreWhatATextbookSays) {
  const double nats = -LogDensityOfTwo(.5, -.25) - LogDensityOfTwo(-.125, .5);
  EXPECT_THAT(NumbersOf({{.5F, -.25F}, {-.125F, .5F}}, kTwo, 2, 2),
              Pointwise(FloatNear(1e-5F), {static_cast<float>(nats), 2.0F}));
}

TEST(LikelihoodModelTest, AConstantAddedToAllWeightsIsTakenFromEveryVectorsNats) {
  std::vector<float> shifted = kTwo;
  shifted[0] += 3;
  shifted[5] += 3;
  const double nats = -LogDensityOfTwo(.5, -.25) - LogDensityOfTwo(0, 0) - 6;
  EXPECT_THAT(NumbersOf({{.5F, -.25F}, {0, 0}}, shifted, 2, 2),
              Pointwise(FloatNear(1e-5F), {static_cast<float>(nats), 2.0F}));
}

// Far from every component each density underflows, and its logarithm does not.
TEST(LikelihoodModelTest, AVectorFarFromAllComponentsHasANumberAllTheSame) {
  const std::vector<float> far = {0, -1, 0x1p20F};
  const double nats = .5 * std::log(2 * std::numbers::pi) - 10 * std::numbers::ln2 + 0x1p21;
  EXPECT_THAT(NumbersOf({{1}}, far, 1, 1),
              Pointwise(FloatNear(.25F), {static_cast<float>(nats), 1.0F}));
}

TEST(LikelihoodModelTest, WhatIsNoVectorOfTheCorpusAddsNothing) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& bad :
       std::vector<std::vector<float>>{{}, {.5F}, {.5F, .5F, .5F}, {kNaN, 0}, {.8F, .8F}}) {
    EXPECT_THAT(NumbersOf({bad}, kTwo, 2, 2), IsEmpty());
    EXPECT_EQ(NumbersOf({bad, {.5F, 0}}, kTwo, 2, 2), NumbersOf({{.5F, 0}}, kTwo, 2, 2));
  }
}

TEST(LikelihoodModelTest, OptionsOutOfRangeAreRefusedByName) {
  EXPECT_THAT(MakeLikelihoodModel(OptionsOf(0), {.vector_dimension = 4}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("num_components")));
  EXPECT_THAT(MakeLikelihoodModel(OptionsOf(3), {.vocabulary_size = 4}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("dimensions; got 0")));
}

}  // namespace
}  // namespace likelihood_model_test
}  // namespace topicwall::gaussian
