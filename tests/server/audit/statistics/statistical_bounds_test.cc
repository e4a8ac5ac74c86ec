#include "server/audit/statistics/statistical_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "tests/support/chi_square.h"

namespace topicwall::audit {
namespace {

const double kX = std::log(1e9);

// P(Binomial(n, p) >= k), summed from the smallest term up.
double BinomialAtLeast(int64_t k, int64_t n, double p) {
  double sum = 0;
  for (int64_t i = n; i >= k; --i) {
    const auto a = static_cast<double>(i);
    const auto b = static_cast<double>(n);
    sum += std::exp(std::lgamma(b + 1) - std::lgamma(a + 1) - std::lgamma(b - a + 1) +
                    a * std::log(p) + (b - a) * std::log1p(-p));
  }
  return sum;
}

TEST(RateIntervalTest, IsBrokenNoOftenerThanItSaysAndNotMuchSeldomer) {
  const int64_t n = 2000;
  for (const int64_t k : {3, 40, 700, 1990}) {
    const Interval interval = RateInterval(k, n, kX);
    // With the rate at the lower end, as many successes are as unlikely as was asked for.
    const double alarm = BinomialAtLeast(k, n, interval.low);
    EXPECT_LE(alarm, 1e-9) << k;
    EXPECT_GE(alarm, 1e-11) << k;
    EXPECT_TRUE(interval.Holds(static_cast<double>(k) / n));
    // Successes and failures are alike.
    EXPECT_NEAR(interval.high, 1 - RateInterval(n - k, n, kX).low, 1e-12);
  }
}

TEST(RateIntervalTest, HoldsTheEndsOnlyIfTheyArePossible) {
  EXPECT_TRUE(RateInterval(0, 10, kX).Holds(0));
  EXPECT_TRUE(RateInterval(10, 10, kX).Holds(1));
  EXPECT_FALSE(RateInterval(1, 10, kX).Holds(0));
  EXPECT_FALSE(RateInterval(9, 10, kX).Holds(1));
  EXPECT_FALSE(RateInterval(5, 10, kX).Holds(std::nan("")));
}

TEST(MeanSquareIntervalTest, IsBrokenNoOftenerThanItSays) {
  for (const int n : {50, 1000, 20000}) {
    const Interval interval = MeanSquareInterval(n, kX);
    const double above = testing::ChiSquareUpperTail(interval.high * n, n);
    EXPECT_LE(above, 1e-9) << n;
    EXPECT_GE(above, 1e-13) << n;
    if (interval.low > 0) {
      EXPECT_LE(1 - testing::ChiSquareUpperTail(interval.low * n, n), 1e-9 + 1e-15) << n;
    }
  }
}

TEST(MeanBoundTest, IsBrokenNoOftenerThanItSays) {
  const double z = MeanBound(400, kX) * 20;
  EXPECT_LE(1 - NormalBelow(z), 1e-9);
  EXPECT_GE(1 - NormalBelow(z), 1e-11);
}

// For many samples a mean of products is nearly normal with variance 1/n; for few its tail is
// heavier than that, and the bound must be too.
TEST(MeanProductBoundTest, NearsTheNormalLawFromAbove) {
  const double normal = std::sqrt(2 * kX);
  EXPECT_NEAR(MeanProductBound(100'000'000, kX) * 1e4 / normal, 1, 1e-3);
  EXPECT_GT(MeanProductBound(100, kX) * 10, 1.05 * normal);
}

TEST(NormalTest, QuantileInvertsAndAdvantageIsTheBestTestsGain) {
  for (const double p : {1e-9, 0.2, 0.5, 0.975})
    EXPECT_NEAR(NormalBelow(NormalQuantile(p)), p, 1e-12);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959963984540054, 1e-9);
  for (const double mu : {0.1, 1.0, 3.0}) {
    EXPECT_NEAR(GaussianAdvantage(mu), 2 * NormalBelow(mu / 2) - 1, 1e-12);
  }
}

}  // namespace
}  // namespace topicwall::audit
