#include "model/gaussian/local_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "model/gaussian/fitted_gaussians.h"
#include "tests/support/status_matchers.h"

namespace topicwall::gaussian {
namespace local_fit_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

constexpr size_t kDimension = 4;

// About four corners, of deviation 0.05 in each dimension.
std::vector<float> FourKinds(int count) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal(0, 0.05);
  std::vector<float> values;
  for (int i = 0; i < count; ++i) {
    for (size_t j = 0; j < kDimension; ++j) {
      const double mean = j == static_cast<size_t>(i % 4) ? 0.6 : 0;
      values.push_back(static_cast<float>(mean + normal(engine)));
    }
  }
  return values;
}

double MeanLogDensity(const Components& components, const std::vector<float>& values) {
  const FittedGaussians fitted(components);
  double sum = 0;
  for (size_t i = 0; i < values.size(); i += kDimension) {
    sum += fitted.LogDensity(absl::MakeConstSpan(values).subspan(i, kDimension));
  }
  return sum / static_cast<double>(values.size() / kDimension);
}

TEST(LocalFitTest, FindsTheKindsThatThereAre) {
  const std::vector<float> values = FourKinds(2000);
  ASSERT_OK_AND_ASSIGN(
      const auto found,
      FitLocally({.values = values, .dimension = kDimension},
                 {.num_components = 4, .passes = 20, .seed = 1, .begins_with = 12}));
  for (size_t kind = 0; kind < 4; ++kind) {
    size_t nearest = 0;
    for (size_t k = 1; k < 4; ++k) {
      if (found.means[k * kDimension + kind] > found.means[nearest * kDimension + kind]) {
        nearest = k;
      }
    }
    EXPECT_NEAR(found.weights[nearest], 0.25, 0.01);
    EXPECT_NEAR(found.means[nearest * kDimension + kind], 0.6, 0.01);
    EXPECT_NEAR(std::sqrt(found.variances[nearest * kDimension + kind]), 0.05, 0.005);
  }
}

// Of one component: the mean and the variances, by the definition.
TEST(LocalFitTest, OneComponentIsMeanAndVariances) {
  const std::vector<float> values = FourKinds(500);
  ASSERT_OK_AND_ASSIGN(const auto found, FitLocally({.values = values, .dimension = kDimension},
                                                    {.num_components = 1, .passes = 2, .seed = 1}));
  for (size_t j = 0; j < kDimension; ++j) {
    double mean = 0, square = 0;
    for (size_t i = j; i < values.size(); i += kDimension) {
      mean += values[i] / 500.0;
      square += double{values[i]} * values[i] / 500.0;
    }
    EXPECT_NEAR(found.means[j], mean, 1e-6);
    EXPECT_NEAR(found.variances[j], square - mean * mean, 1e-6);
  }
}

TEST(LocalFitTest, ThreadsChangeNoBit) {
  const std::vector<float> values = FourKinds(300);
  LocalFitOptions options = {.num_components = 3, .passes = 3, .seed = 2};
  const auto one = FitLocally({.values = values, .dimension = kDimension}, options);
  options.num_threads = 3;
  const auto three = FitLocally({.values = values, .dimension = kDimension}, options);
  ASSERT_OK(one);
  ASSERT_OK(three);
  EXPECT_EQ(one->means, three->means);
  EXPECT_EQ(one->variances, three->variances);
}

// EM from where it ended loses nothing.
TEST(LocalFitTest, BeginsWithEarlierComponents) {
  const std::vector<float> values = FourKinds(1000);
  const LocalVectors vectors = {.values = values, .dimension = kDimension};
  ASSERT_OK_AND_ASSIGN(
      const auto first,
      FitLocally(vectors, {.num_components = 4, .passes = 20, .seed = 1, .begins_with = 12}));
  ASSERT_OK_AND_ASSIGN(
      const auto second,
      FitLocally(
          vectors,
          {.num_components = 4, .passes = 1, .seed = 9, .begins_with = 12, .earlier = first}));
  EXPECT_NEAR(MeanLogDensity(second, values), MeanLogDensity(first, values), 1e-3);
}

TEST(LocalFitTest, WhatCannotBeFittedIsRefused) {
  const std::vector<float> values = FourKinds(3);
  const LocalVectors vectors = {.values = values, .dimension = kDimension};
  EXPECT_THAT(
      FitLocally(vectors, {.num_components = 4, .passes = 1, .seed = 1}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("number of vectors, 3; got 4")));
  EXPECT_THAT(FitLocally(vectors, {.num_components = 1, .passes = 0, .seed = 1}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("passes must be at least 1")));
}

}  // namespace local_fit_test
}  // namespace topicwall::gaussian
