#include "model/mixture/component_weights.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::mixture {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;
using ::topicwall::testing::StatusIs;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(SplitTest, TheLastColumnIsOfDocuments) {
  const std::vector<float> release = {1, 2, 3, 10, -4, 5, 6, 20};
  ASSERT_OK_AND_ASSIGN(const auto noisy, Split(release, 2));
  EXPECT_THAT(noisy.words, ElementsAre(1, 2, 3, -4, 5, 6));
  EXPECT_THAT(noisy.documents, ElementsAre(10, 20));
  for (const int components : {0, -1, 3, 8}) {
    EXPECT_THAT(Split(release, components), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(WithWeightsTest, EveryRowEndsWithTheLogarithmOfItsWeight) {
  const std::vector<float> parameters =
      WithWeights(std::vector<float>{-1, -2, -3, -4}, std::vector<double>{0.25, 0.75});
  EXPECT_THAT(parameters, ElementsAre(-1, -2, std::log(0.25F), -3, -4, std::log(0.75F)));
  EXPECT_THAT(WithWeights(std::vector<float>{0}, std::vector<double>{1 + 1e-15}), ElementsAre(0, 0))
      << "parameters are at most 0";
}

TEST(ComponentWeightsTest, AreEqualBeforeAnythingIsKnown) {
  ASSERT_OK_AND_ASSIGN(const auto weights, ComponentWeights::Create(4, {}));
  EXPECT_THAT(weights.Probabilities(), ElementsAre(.25, .25, .25, .25));
}

// By hand: the first reading counts whole, at ν = ½ twice; then a quarter of the way to the next.
TEST(ComponentWeightsTest, AreTheSharesOfTheRunningAverage) {
  ASSERT_OK_AND_ASSIGN(auto weights, ComponentWeights::Create(2, {}));
  ASSERT_OK(weights.Update(
      {.documents = std::vector<float>{100, 300}, .sampling_rate = .5, .step_size = .1}));
  EXPECT_THAT(weights.averages(), ElementsAre(200, 600));
  EXPECT_THAT(weights.Probabilities(), Pointwise(DoubleNear(1e-12), {.25, .75}));
  ASSERT_OK(weights.Update(
      {.documents = std::vector<float>{400, 200}, .sampling_rate = 1, .step_size = .25}));
  EXPECT_THAT(weights.averages(), ElementsAre(250, 500));
}

// Catches a component that noise took below 0 and that no document could come back to.
TEST(ComponentWeightsTest, NoComponentDiesOut) {
  auto weights = ComponentWeights::Create(2, {});
  ASSERT_OK(weights->Update(
      {.documents = std::vector<float>{-30, 1030}, .sampling_rate = 1, .step_size = 1}));
  const std::vector<double> found = weights->Probabilities();
  EXPECT_NEAR(found[0], 10. / 1040, 1e-12) << "a fiftieth of an equal share";
  EXPECT_DOUBLE_EQ(found[0] + found[1], 1);
  ASSERT_OK(weights->Update(
      {.documents = std::vector<float>{-3000, 10}, .sampling_rate = 1, .step_size = 1}));
  EXPECT_THAT(weights->Probabilities(), ElementsAre(.5, .5)) << "all of it is noise";
}

TEST(ComponentWeightsTest, WhatIsNoReadingChangesNothing) {
  EXPECT_THAT(ComponentWeights::Create(0, {}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ComponentWeights::Create(2, {1}), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ComponentWeights::Create(1, {kNan}), StatusIs(absl::StatusCode::kInvalidArgument));
  auto weights = ComponentWeights::Create(2, {5, 7});
  for (const std::vector<float>& bad : std::vector<std::vector<float>>{{1}, {1, kNan}, {}}) {
    EXPECT_THAT(weights->Update({.documents = bad, .sampling_rate = 1, .step_size = 1}),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(weights->averages(), ElementsAre(5, 7));
}

}  // namespace
}  // namespace topicwall::mixture
