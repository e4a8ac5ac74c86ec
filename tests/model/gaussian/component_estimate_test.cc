#include "model/gaussian/component_estimate.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::gaussian {
namespace {

using ::testing::DoubleEq;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Pointwise;
using ::topicwall::testing::StatusIs;

constexpr NoiseDeviations kNone = {0, 0, 0};

// Four vectors: 0.2 and 0.4 of one component, −0.1 and −0.7 of the other.
const std::vector<float> kTwoComponents = {2, .6F, .2F, 2, -.8F, .5F};

TEST(ComponentEstimateTest, WithoutNoiseItIsTheMStepOfEm) {
  ComponentEstimate estimate(2, 1);
  ASSERT_OK(estimate.Update(
      {.statistics = kTwoComponents, .deviations = kNone, .sampling_rate = 1, .step_size = 1}));
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  EXPECT_THAT(components.weights, Each(DoubleEq(0.5)));
  EXPECT_THAT(components.means, Pointwise(DoubleNear(1e-6), {0.3, -0.4}));
  EXPECT_THAT(components.variances, Pointwise(DoubleNear(1e-6), {0.01, 0.09}));
}

TEST(ComponentEstimateTest, TheWeightOfTheOnlyComponentHasNoNoise) {
  ComponentEstimate estimate(1, 1);
  ASSERT_OK(estimate.Update({.statistics = std::vector<float>{4, -.2F, .7F},
                             .deviations = {.counts = 1, .sums = 1, .squares = 1},
                             .sampling_rate = 1,
                             .step_size = 1}));
  EXPECT_EQ(estimate.CountDeviation(), 0.25);
  EXPECT_EQ(WeightDeviation(1, 1, 0.25), 0);
}

// (0.3 − (−0.05))² = 0.1225 of both; noise of variance 0.2²/2² = 0.01 leaves 0.1125 of it.
TEST(ComponentEstimateTest, MeansAreDrawnTogetherByTheirNoise) {
  ComponentEstimate estimate(2, 1);
  ASSERT_OK(estimate.Update({.statistics = kTwoComponents,
                             .deviations = {.counts = 0, .sums = 0.2, .squares = 0},
                             .sampling_rate = 1,
                             .step_size = 1}));
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  const double kept = 0.35 * 0.1125 / 0.1225;
  EXPECT_THAT(components.means, Pointwise(DoubleNear(1e-6), {-0.05 + kept, -0.05 - kept}));
}

TEST(ComponentEstimateTest, ComponentsThatAreNoiseAloneBecomeTheMeanOne) {
  ComponentEstimate estimate(2, 1);
  ASSERT_OK(estimate.Update({.statistics = kTwoComponents,
                             .deviations = {.counts = 1, .sums = 10, .squares = 10},
                             .sampling_rate = 1,
                             .step_size = 1}));
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  EXPECT_THAT(components.means, Each(DoubleNear(-0.05, 1e-6)));
  EXPECT_EQ(components.variances[0], components.variances[1]);
}

// A hundred vectors of variance 1e-6, whose squares came with a noise of deviation 2: of a smaller
// variance than 2/100 nothing is known.
TEST(ComponentEstimateTest, NoVarianceIsSmallerThanTheNoiseOfWhatItIsFrom) {
  ComponentEstimate estimate(1, 1);
  ASSERT_OK(estimate.Update({.statistics = std::vector<float>{100, 0, 1e-4F},
                             .deviations = {.counts = 0, .sums = 0, .squares = 2},
                             .sampling_rate = 1,
                             .step_size = 1}));
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  EXPECT_THAT(components.variances, Each(DoubleNear(0.02, 1e-9)));
}

constexpr NoiseDeviations kVariances = {.counts = 0, .sums = 25, .squares = 100};

// A hundred vectors of each; a mean's noise is 25/100² = 0.0025 and its square is too large by it:
// 0.3 − 0.04 + 0.0025 and 0.9 − …, 0.3 from their mean. Their own noise is
// 100/100² + 4·0.04·0.0025 = 0.0104 of 0.09.
TEST(ComponentEstimateTest, VariancesAreFreedOfTheMeansNoiseAndDrawnTogetherByTheirOwn) {
  ASSERT_OK_AND_ASSIGN(
      const auto estimate,
      ComponentEstimate::Create(
          2, 1, {.averages = {100, 20, 30, 100, -20, 90}, .variances = kVariances}));
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  const double kept = 0.3 * (0.09 - 0.0104) / 0.09;
  EXPECT_THAT(components.variances, Pointwise(DoubleNear(1e-12), {0.5625 - kept, 0.5625 + kept}));
}

// As above with means of ± 0.8: of the squares' noise, and of 4·0.64 times that of the sums, two
// components have 2·(1 + 64).
TEST(ComponentEstimateTest, NoiseOfMeansMakesVariancesNoSmallerEither) {
  ASSERT_OK_AND_ASSIGN(
      const auto estimate,
      ComponentEstimate::Create(2, 1,
                                {.averages = {100, 80, 64, 100, -80, 64},
                                 .variances = {.counts = 0, .sums = 25, .squares = 1}}));
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  EXPECT_THAT(components.variances, Each(DoubleNear(std::sqrt(130) / 200, 1e-12)));
}

// The whole varies by 0.64: 0.05 of it is common to all, and 0.1 of that is every one's.
TEST(ComponentEstimateTest, ComponentsOfNoVarianceHaveAShareOfTheWholes) {
  ASSERT_OK_AND_ASSIGN(const auto estimate,
                       ComponentEstimate::Create(
                           2, 1, {.averages = {100, 80, 64, 100, -80, 64}, .variances = kNone}));
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  EXPECT_THAT(components.variances, Each(DoubleNear(0.1 * 0.05 * 0.64, 1e-12)));
}

// Of smaller ones the wall computes with this one, and would give another density.
TEST(ComponentEstimateTest, ADimensionThatDoesNotVaryHasTheLeastVarianceOfTheWall) {
  ASSERT_OK_AND_ASSIGN(const auto estimate,
                       ComponentEstimate::Create(
                           2, 1, {.averages = {100, 80, 64, 100, 80, 64}, .variances = kNone}));
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  EXPECT_THAT(components.variances, Each(0x1p-20));
}

// A fiftieth of an equal share, of two: 100/50/2. All are a hundred still, as they were counted.
TEST(ComponentEstimateTest, AComponentThatNoiseTookBelowNothingKeepsALittleWeight) {
  ASSERT_OK_AND_ASSIGN(
      const auto estimate,
      ComponentEstimate::Create(2, 1, {.averages = {120, 0, 1, -20, 0, 1}, .variances = kNone}));
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  EXPECT_THAT(components.weights, Pointwise(DoubleNear(1e-12), {0.99, 0.01}));
}

// How often each of `shares` is within 95 % of what is told of it, where all vectors together are
// twenty deviations of the noise of their counts. From fixed seeds.
std::vector<double> Coverage(const std::vector<double>& shares, uint64_t seed) {
  constexpr int kTrials = 4000;
  constexpr double kVectors = 10000;
  const size_t count = shares.size();
  const double tau = kVectors / (20 * std::sqrt(count));
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0, tau);
  std::vector<double> covered(count);
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> averages(3 * count);
    for (size_t k = 0; k < count; ++k) averages[3 * k] = kVectors * shares[k] + normal(engine);
    const auto estimate = ComponentEstimate::Create(
        count, 1,
        {.averages = averages, .variances = {.counts = tau * tau, .sums = 1, .squares = 1}});
    const Components told = *estimate->Estimate();
    for (size_t k = 0; k < count; ++k) {
      const double deviation = WeightDeviation(told.weights[k], count, estimate->CountDeviation());
      covered[k] += std::fabs(told.weights[k] - shares[k]) <= 1.959964 * deviation;
    }
  }
  for (double& often : covered) often /= kTrials;
  return covered;
}

// One large component among many small ones: the counts of all of these are in its share. Of 4,000
// trials 95 % are within 0.02 but for 1e-8 each; small ones are covered more often, for they are
// held above nothing.
TEST(ComponentEstimateTest, TheDeviationOfAWeightCoversIt) {
  uint64_t seed = 1;
  for (const auto& [count, large] :
       {std::pair{20, 0.5}, {20, 0.9}, {50, 0.8}, {4, 0.25}, {2, 0.5}}) {
    std::vector<double> shares(static_cast<size_t>(count), (1 - large) / (count - 1));
    shares[0] = large;
    const std::vector<double> covered = Coverage(shares, seed++);
    EXPECT_NEAR(covered[0], 0.95, 0.03) << count << " " << large;
    for (size_t k = 1; k < covered.size(); ++k) EXPECT_GE(covered[k], 0.925) << count << " " << k;
  }
}

TEST(ComponentEstimateTest, NoiseOfASampleIsThatOfTheWholeCorpus) {
  ComponentEstimate estimate(2, 1);
  ASSERT_OK(estimate.Update({.statistics = kTwoComponents,
                             .deviations = {.counts = 1, .sums = 2, .squares = 3},
                             .sampling_rate = 0.25,
                             .step_size = 1}));
  const NoiseDeviations& variances = estimate.state().variances;
  EXPECT_EQ(variances.counts, 16);
  EXPECT_EQ(variances.sums, 64);
  EXPECT_EQ(variances.squares, 144);
}

// Two releases of equal noise, averaged: half the variance, and so the means kept of 0.005.
TEST(ComponentEstimateTest, AveragedReleasesHaveLessNoise) {
  ComponentEstimate estimate(2, 1);
  for (const double step : {1.0, 0.5}) {
    ASSERT_OK(estimate.Update({.statistics = kTwoComponents,
                               .deviations = {.counts = 0, .sums = 0.2, .squares = 0},
                               .sampling_rate = 1,
                               .step_size = step}));
  }
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  EXPECT_NEAR(components.means[0], -0.05 + 0.35 * 0.1175 / 0.1225, 1e-6);
}

// Sums of noise alone, of deviation 50 over some hundred vectors: the unit ball has no such means
// and spreads.
TEST(ComponentEstimateTest, NoComponentIsWhereNoVectorCanBe) {
  constexpr size_t kComponents = 4, kDimension = 3;
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal(0, 50);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> averages(kComponents * (2 * kDimension + 1));
    for (double& average : averages) average = normal(engine);
    for (size_t k = 0; k < kComponents; ++k) averages[k * (2 * kDimension + 1)] = 25;
    ASSERT_OK_AND_ASSIGN(
        const auto estimate,
        ComponentEstimate::Create(
            kComponents, kDimension,
            {.averages = averages, .variances = {.counts = 2500, .sums = 2500, .squares = 2500}}));
    ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
    for (size_t k = 0; k < kComponents; ++k) {
      double norm = 0, variance = 0;
      for (size_t j = 0; j < kDimension; ++j) {
        norm = std::hypot(norm, components.means[k * kDimension + j]);
        variance += components.variances[k * kDimension + j];
      }
      EXPECT_LE(norm, 1 + 1e-12);
      EXPECT_LE(variance, 1 + 1e-12);
    }
  }
}

TEST(ComponentEstimateTest, ParametersAreAlwaysFinite) {
  ComponentEstimate estimate(2, 1);
  ASSERT_OK(estimate.Update({.statistics = std::vector<float>{1, 0, 0, -.5F, -3, -7},
                             .deviations = kNone,
                             .sampling_rate = 1,
                             .step_size = 1}));
  ASSERT_OK_AND_ASSIGN(const auto components, estimate.Estimate());
  for (const float parameter : ParametersOf(components)) EXPECT_TRUE(std::isfinite(parameter));
}

TEST(ComponentEstimateTest, WhatIsNoReleaseIsRefusedAndChangesNothing) {
  ComponentEstimate estimate(2, 1);
  EXPECT_THAT(estimate.Estimate(), StatusIs(absl::StatusCode::kFailedPrecondition));
  std::vector<float> bad = kTwoComponents, infinite = kTwoComponents;
  bad[3] = std::numeric_limits<float>::quiet_NaN();
  infinite[2] = std::numeric_limits<float>::infinity();
  for (const std::vector<float>& statistics : {bad, infinite, std::vector<float>{1, 2, 3}}) {
    EXPECT_THAT(
        estimate.Update(
            {.statistics = statistics, .deviations = kNone, .sampling_rate = 1, .step_size = 1}),
        StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(estimate.Estimate(), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(ComponentEstimateTest, WhatNoEstimateCanHaveLeftIsRefused) {
  using State = ComponentEstimate::State;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_OK(ComponentEstimate::Create(2, 1, State{{1, 0, 1, 1, 0, 1}, {1, 1, 1}}));
  for (const State& state :
       {State{{1, 0, 1}, {1, 1, 1}}, State{{1, 0, 1, 1, 0, kNan}, {1, 1, 1}}, State{{}, {-1, 1, 1}},
        State{{}, {1, -1, 1}}, State{{}, {1, 1, -1}}, State{{}, {kNan, 1, 1}}}) {
    EXPECT_THAT(ComponentEstimate::Create(2, 1, state),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace topicwall::gaussian
