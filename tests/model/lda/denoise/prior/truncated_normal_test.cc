#include "model/lda/denoise/prior/truncated_normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace topicwall::lda {
namespace {

struct Moments {
  long double log_mass, mean, variance;
};

// By quadrature: Φ(z)e^(z²/2) = ∫ e^(zu − u²/2) du / √(2π) over u >= 0, and u has that density.
// Simpson's rule on the stretch around the largest value beyond which less than 1e-19 lies.
Moments ByQuadrature(long double z) {
  const long double width = 1 / std::max(1.0L, -z);
  const long double begin = std::max(0.0L, z - 10), end = std::max(0.0L, z) + 45 * width;
  constexpr int kPanels = 4000;
  const long double step = (end - begin) / kPanels;
  const long double peak = z > 0 ? z * z / 2 : 0;
  long double mass = 0, first = 0, second = 0;
  for (int i = 0; i <= kPanels; ++i) {
    const long double u = begin + step * i;
    const long double simpson = i == 0 || i == kPanels ? 1 : (i % 2 == 1 ? 4 : 2);
    const long double density = simpson * std::exp(z * u - u * u / 2 - peak);
    mass += density;
    first += density * (u - begin);
    second += density * (u - begin) * (u - begin);
  }
  const long double mean = first / mass;
  return {.log_mass = std::log(mass * step / 3) + peak - std::log(2 * std::acos(-1.0L)) / 2,
          .mean = begin + mean,
          .variance = second / mass - mean * mean};
}

void ExpectAsByQuadrature(double z) {
  const Moments expected = ByQuadrature(z);
  const TruncatedNormal got = TruncatedNormalAt(z);
  EXPECT_NEAR(got.log_mass, static_cast<double>(expected.log_mass),
              1e-8 * std::max(1.0, std::fabs(static_cast<double>(expected.log_mass))))
      << z;
  EXPECT_NEAR(got.mean / static_cast<double>(expected.mean), 1, 1e-8) << z;
  EXPECT_NEAR(got.variance / static_cast<double>(expected.variance), 1, 1e-8) << z;
}

TEST(TruncatedNormalTest, AgreesWithQuadratureOnAllOfTheTable) {
  // 0.0373 is no fraction of the table's step, so that all places within an interval are met.
  for (double z = -24.5; z < 8.5; z += 0.0373) ExpectAsByQuadrature(z);
}

TEST(TruncatedNormalTest, AgreesWithQuadratureFarOutside) {
  for (const double z : {-25.0, -37.7, -100.0, -1e3, -1e5, 9.0, 30.0, 1e3}) {
    ExpectAsByQuadrature(z);
  }
}

TEST(TruncatedNormalTest, IsKnownAtZero) {
  // Half a normal: Φ(0) = 1/2, E|N| = √(2/π).
  const TruncatedNormal half = TruncatedNormalAt(0);
  const double pi = std::acos(-1.0);
  EXPECT_NEAR(half.log_mass, std::log(0.5), 1e-9);
  EXPECT_NEAR(half.mean, std::sqrt(2 / pi), 1e-9);
  EXPECT_NEAR(half.variance, 1 - 2 / pi, 1e-9);
}

TEST(TruncatedNormalTest, FollowsItsAsymptotesWithoutOverflowOrCancellation) {
  for (const double x : {1e6, 1e9, 1e15, 1e60, 1e150}) {
    const TruncatedNormal left = TruncatedNormalAt(-x), right = TruncatedNormalAt(x);
    EXPECT_NEAR(left.mean * x, 1, 1e-8) << x;
    EXPECT_NEAR(left.variance * x * x, 1, 1e-8) << x;
    EXPECT_NEAR(left.log_mass / -std::log(x * std::sqrt(2 * std::acos(-1.0))), 1, 1e-8) << x;
    EXPECT_EQ(right.mean, x);
    EXPECT_EQ(right.variance, 1);
    EXPECT_TRUE(std::isfinite(right.log_mass)) << x;
  }
}

TEST(TruncatedNormalTest, IsContinuousWhereTheTableBegins) {
  for (const double end : {-24.0, 8.0}) {
    const TruncatedNormal below = TruncatedNormalAt(end - 1e-12);
    const TruncatedNormal above = TruncatedNormalAt(end + 1e-12);
    EXPECT_NEAR(below.log_mass, above.log_mass, 1e-8);
    EXPECT_NEAR(below.mean, above.mean, 1e-9);
    EXPECT_NEAR(below.variance / above.variance, 1, 1e-8);
  }
}

}  // namespace
}  // namespace topicwall::lda
