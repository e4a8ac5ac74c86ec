#include "model/data/bounded_vector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "model/data/spread_document.h"
#include "tests/support/status_matchers.h"

namespace topicwall::model {
namespace {

using ::topicwall::testing::StatusIs;

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<float> Scaled(const std::vector<double>& numbers, double bound) {
  std::vector<float> vector(numbers.size(), -7);
  EXPECT_TRUE(ScaleToBound(numbers, bound, absl::MakeSpan(vector)));
  return vector;
}

// In 64 bits of mantissa, apart from how the code sums.
long double NormOf(const std::vector<float>& vector) {
  long double squares = 0;
  for (const float number : vector) squares += static_cast<long double>(number) * number;
  return std::sqrt(squares);
}

double Uniform(uint64_t counter) {
  return 2 * static_cast<double>(lda::Scatter(counter) >> 11) * 0x1p-53 - 1;
}

TEST(BoundedVectorTest, WhatIsWithinTheBoundIsDividedByIt) {
  EXPECT_EQ(Scaled({1, -2, 0.5}, 4), (std::vector<float>{0.25, -0.5, 0.125}));
  EXPECT_EQ(Scaled({0, 0}, 1e-30), (std::vector<float>{0, 0}));
  EXPECT_EQ(Scaled({-1}, 1), (std::vector<float>{-1}));
}

// The nearest float32 to 3/5 and 4/5 are together longer than 1.
TEST(BoundedVectorTest, WhatRoundingWouldLiftAboveTheBoundIsShortened) {
  EXPECT_GT(SquaredNorm(std::vector<float>{0.6F, 0.8F}), 1);
  const std::vector<float> scaled = Scaled({3, 4}, 5);
  EXPECT_LE(SquaredNorm(scaled), 1);
  EXPECT_NEAR(scaled[0], 0.6, 2e-7);
  EXPECT_NEAR(scaled[1], 0.8, 2e-7);
}

TEST(BoundedVectorTest, WhatIsLongerKeepsItsDirectionAtTheBound) {
  const std::vector<float> scaled = Scaled({30, -40}, 5);
  EXPECT_NEAR(scaled[0], 0.6, 1e-7);
  EXPECT_NEAR(scaled[1], -0.8, 1e-7);
  EXPECT_EQ(Scaled({-1e300}, 1e-30), (std::vector<float>{-1}));
  // Squares overflow, and so does a quotient by the bound.
  for (const float number : Scaled(std::vector<double>(1024, kLargest), 1e-30)) {
    EXPECT_NEAR(number, 1.0 / 32, 1e-7);
  }
  // Numbers that are nothing beside the largest.
  EXPECT_EQ(Scaled({kLargest, 5e-324}, 1), (std::vector<float>{1, 0}));
}

// 20,000 vectors of 1 to 1,024 numbers of many magnitudes around and beyond the bound. Rounded to
// nearest alone, a good part of those at the bound would be longer than it.
TEST(BoundedVectorTest, NoVectorIsLongerThanTheBoundAndNoneMuchShorterThanItWas) {
  int lifted = 0;
  for (uint64_t trial = 0; trial < 20'000; ++trial) {
    const auto dimension =
        static_cast<size_t>(1 + lda::Scatter(trial) % (trial % 10 == 0 ? 1024 : 9));
    const double bound = std::exp(40 * Uniform(7 * trial));
    std::vector<double> numbers(dimension);
    long double squares = 0;
    for (size_t i = 0; i < dimension; ++i) {
      numbers[i] = Uniform(trial * 1'000'003 + i);
      squares += static_cast<long double>(numbers[i]) * numbers[i];
    }
    const auto length = static_cast<double>(std::sqrt(squares));
    // At the bound, one unit of the last place beside it, inside or far outside.
    const double factors[] = {1, 1 + 0x1p-52, 1 - 0x1p-53, 0.3, 1e12};
    const double wanted = factors[trial % 5];
    long double rounded = 0;
    for (double& number : numbers) {
      number = number / length * bound * wanted;
      const auto nearest = static_cast<float>(number / bound);
      rounded += static_cast<long double>(nearest) * nearest;
    }
    lifted += trial % 5 < 3 && rounded > 1 ? 1 : 0;
    const std::vector<float> vector = Scaled(numbers, bound);
    ASSERT_LE(NormOf(vector), 1.0L + 1e-15L) << trial;
    ASSERT_LE(SquaredNorm(vector), 1) << trial;
    ASSERT_TRUE(IsWithinBound(vector));
    ASSERT_GE(NormOf(vector), std::min(wanted, 1.0) * (1 - 0x1p-20)) << trial;
  }
  EXPECT_GT(lifted, 1000) << "the vectors do not try what they are to try";
}

TEST(BoundedVectorTest, NumbersThatAreNotFiniteAreNoVector) {
  for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
    for (size_t place = 0; place < 3; ++place) {
      std::vector<double> numbers = {0, 1, 2};
      numbers[place] = bad;
      std::vector<float> vector(3);
      EXPECT_FALSE(ScaleToBound(numbers, 1, absl::MakeSpan(vector)));
    }
  }
}

TEST(BoundedVectorTest, WithinTheBoundIsFiniteAndOfANormOfOneAtMost) {
  constexpr float kFloatInfinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(IsWithinBound(std::vector<float>{}));
  EXPECT_TRUE(IsWithinBound(std::vector<float>{0, -1}));
  EXPECT_FALSE(IsWithinBound(std::vector<float>{std::nextafter(1.0F, 2.0F)}));
  EXPECT_FALSE(IsWithinBound(std::vector<float>{1, 1e-6F}));
  EXPECT_FALSE(IsWithinBound(std::vector<float>{std::nanf(""), 0}));
  EXPECT_FALSE(IsWithinBound(std::vector<float>{0, kFloatInfinity}));
  EXPECT_FALSE(IsWithinBound(std::vector<float>{-kFloatInfinity}));
}

TEST(BoundedVectorTest, ASpaceHasUpTo1024DimensionsAndAPositiveBound) {
  EXPECT_OK(CheckVectorSpace({.dimension = 1, .norm_bound = 1e-30}));
  EXPECT_OK(CheckVectorSpace({.dimension = 1024, .norm_bound = 1e30}));
  for (const int dimension : {0, -1, 1025}) {
    EXPECT_THAT(CheckVectorSpace({.dimension = dimension, .norm_bound = 1}),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
  for (const double bound : {0.0, -1.0, 1e-31, 1e31, kInfinity, std::nan("")}) {
    EXPECT_THAT(CheckVectorSpace({.dimension = 3, .norm_bound = bound}),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(BoundedVectorTest, SpreadVectorsAreAsLongAsAnyAndDiffer) {
  std::vector<float> first;
  std::vector<float> second;
  for (const int dimension : {1, 3, 384, 1024}) {
    lda::FillSpreadVector(1, dimension, &first);
    lda::FillSpreadVector(2, dimension, &second);
    ASSERT_EQ(first.size(), static_cast<size_t>(dimension));
    EXPECT_TRUE(IsWithinBound(first));
    EXPECT_GT(SquaredNorm(first), 1 - 1e-6);
  }
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace topicwall::model
