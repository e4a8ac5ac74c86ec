#include "model/gaussian/gaussian_model.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/model/gaussian/statistic_by.h"
#include "tests/support/status_matchers.h"

namespace topicwall::gaussian {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;
using ::topicwall::testing::StatusIs;

model::SparseStatistic StatisticOf(const std::vector<std::vector<float>>& vectors,
                                   const std::vector<float>& parameters, int num_components,
                                   int dimension) {
  return StatisticBy(MakeGaussianModel, vectors, parameters, num_components, dimension);
}

// In one dimension, π = (¾, ¼), m = (0, ½), p = (4, 16). Of x = ½ the densities go like ¾·2·e^(−½)
// and ¼·4·1, so r_0 = 1.5e^−½/(1.5e^−½ + 1); of x = −½ like ¾·2·e^(−½) and ¼·4·e^(−8).
TEST(GaussianModelTest, AUnitsStatisticIsWhatOneComputesByHand) {
  const std::vector<float> parameters = {std::log(.75F), 0, 4, std::log(.25F), .5F, 16};
  const double near = 1.5 * std::exp(-.5) / (1.5 * std::exp(-.5) + 1);
  const double far = 1.5 * std::exp(-.5) / (1.5 * std::exp(-.5) + std::exp(-8.0));
  const model::SparseStatistic both = StatisticOf({{.5F}, {-.5F}}, parameters, 2, 1);
  EXPECT_THAT(both.columns, ElementsAre(0, 1, 2));
  EXPECT_THAT(both.rows, ElementsAre(0, 1));
  std::vector<float> expected;
  for (const double entry : {near + far, 2 - near - far, (near - far) / 2, (far - near) / 2,
                             (near + far) / 4, (2 - near - far) / 4}) {
    expected.push_back(static_cast<float>(entry));
  }
  EXPECT_THAT(both.values, Pointwise(FloatNear(1e-3F), expected));
}

// Where the header says so: of a deviation of 0.01, around means that are nearly as long as a
// vector can be, a vector's square times the precision is 10^4.
TEST(GaussianModelTest, ComponentsAreToldApartWithinAThousandthOfFloat64) {
  constexpr int kComponents = 4, kTrials = 300;
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<float> place(-.02F, .02F);
  const float precision = 1e4F;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<float> parameters;
    for (int k = 0; k < kComponents; ++k) {
      parameters.insert(parameters.end(), {-1, .97F + place(engine), precision});
    }
    const float x = .97F + place(engine);
    double densities[kComponents], all = 0;
    for (size_t k = 0; k < kComponents; ++k) {
      const double apart = double{x} - double{parameters[3 * k + 1]};
      all += densities[k] = std::exp(-.5 * double{precision} * apart * apart);
    }
    const model::SparseStatistic told = StatisticOf({{x}}, parameters, kComponents, 1);
    std::vector<double> shares(kComponents);
    for (size_t i = 0; i < told.rows.size(); ++i) shares[told.rows[i]] = double{told.values[i]};
    for (size_t k = 0; k < kComponents; ++k) EXPECT_NEAR(shares[k], densities[k] / all, 1e-3);
  }
}

// One vector alone is written without being merged: the same entries.
TEST(GaussianModelTest, AVectorAloneAndBesideNoneAreTheSame) {
  const std::vector<float> parameters = {0, .1F, -.2F, 3, 4, 0, .3F, .4F, 5, 6};
  const auto alone = StatisticOf({{.25F, -.5F}}, parameters, 2, 2);
  const auto beside = StatisticOf({{.25F, -.5F}, {.1F}}, parameters, 2, 2);
  EXPECT_EQ(alone.columns, beside.columns);
  EXPECT_EQ(alone.rows, beside.rows);
  EXPECT_EQ(alone.values, beside.values);
  EXPECT_EQ(alone.columns.size(), 5u);
}

TEST(GaussianModelTest, WhatIsNoVectorOfTheCorpusAddsNothing) {
  const std::vector<float> parameters = {0, .1F, -.2F, 3, 4};
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& bad :
       std::vector<std::vector<float>>{{}, {.5F}, {.5F, .5F, .5F}, {kNaN, 0}, {.8F, .8F}}) {
    EXPECT_THAT(StatisticOf({bad}, parameters, 1, 2).values, IsEmpty());
  }
}

// Catches components that only fill up a vector register.
TEST(GaussianModelTest, NegativeNumbersAreOfNoComponentBeyondTheLast) {
  constexpr int kDimension = 64;
  std::vector<float> parameters(3 * (2 * kDimension + 1), 1.0F);
  const auto statistic =
      StatisticOf({std::vector<float>(kDimension, -.12F)}, parameters, 3, kDimension);
  EXPECT_THAT(statistic.rows, ElementsAre(0, 1, 2));
}

TEST(GaussianModelTest, OptionsOutOfRangeAreRefusedByName) {
  EXPECT_THAT(MakeGaussianModel(OptionsOf(0), {.vector_dimension = 4}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("num_components")));
  EXPECT_THAT(MakeGaussianModel(OptionsOf(3), {.vocabulary_size = 4}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("dimensions; got 0")));
  // 2^32 are 2,096,128.9 rows of 2,049.
  EXPECT_OK(MakeGaussianModel(OptionsOf(2'096'128), {.vector_dimension = 1024}));
  for (const int32_t components : {2'096'129, std::numeric_limits<int32_t>::max()}) {
    EXPECT_THAT(MakeGaussianModel(OptionsOf(components), {.vector_dimension = 1024}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2^32")));
  }
}

TEST(GaussianModelTest, ItsWorstCaseIsTheLargestRequestWithinTheLimits) {
  const model::AnalystLimits limits = {.vocabulary_size = 8,
                                       .words = 1,
                                       .parameters_per_term = 50,
                                       .iterations = 1,
                                       .vector_dimension = 8};
  ASSERT_OK_AND_ASSIGN(const auto cases, WorstGaussians(limits));
  ASSERT_EQ(cases.size(), 1u);
  ASSERT_OK_AND_ASSIGN(const auto made,
                       MakeGaussianModel(cases.front().options, {.vector_dimension = 8}));
  EXPECT_EQ(made->demand().parameters, 23 * 17) << "of 400, in rows of 17";
  EXPECT_OK(made->Check(cases.front().parameters()));
}

}  // namespace
}  // namespace topicwall::gaussian
