#include "accountant/accountants/subsampled_gaussian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/accountant/other_direction.h"
#include "tests/accountant/releases.h"

namespace topicwall::accountant {
namespace subsampled_gaussian_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// log E[(1 − ν + ν e^t)^a] by plain Simpson's rule in long double: 400 points per σ over the whole
// range, no remainder, no bound, no shortcut. Good to about 1e-16 absolute.
double LogMomentBySimpson(double nu, double sigma, double order) {
  const long double s = sigma;
  const long double low = -14 * s;
  const long double high = static_cast<long double>(order) + 14 * s;
  const long double smallest = std::min<long double>(1, s);
  const int64_t half = static_cast<int64_t>((high - low) / s / smallest * 200) + 1;
  const long double step = (high - low) / (2 * half);
  long double sum = 0;
  for (int64_t i = 0; i <= 2 * half; ++i) {
    const long double z = low + i * step;
    const long double ratio =
        (1 - static_cast<long double>(nu)) + nu * std::exp((2 * z - 1) / (2 * s * s));
    const long double value = std::exp(-z * z / (2 * s * s) + order * std::log(ratio));
    sum += value * (i == 0 || i == 2 * half ? 1 : (i % 2 == 1 ? 4 : 2));
  }
  return static_cast<double>(std::log(sum * step / 3 / (s * std::sqrt(2 * std::acos(-1.0L)))));
}

TEST(LogMixtureRatioTest, AgreesWithLongDoubleOnBothSides) {
  for (const double nu : {1e-12, 1e-4, 0.05, 0.5, 0.99, 1 - 1e-12, 1.0}) {
    for (double t = -60; t <= 60; t += 0.37) {
      const long double x = nu * std::expm1(static_cast<long double>(t));
      const long double plain =
          std::log((1 - static_cast<long double>(nu)) + nu * std::exp(static_cast<long double>(t)));
      const double expected = static_cast<double>(std::abs(x) < 0.1L ? std::log1p(x) : plain);
      EXPECT_NEAR(LogMixtureRatio(nu, t), expected, 1e-14 * std::abs(expected) + 1e-300)
          << nu << " " << t;
    }
  }
}

TEST(LogMixtureRatioTest, HugeShiftsNeitherOverflowNorTurn) {
  EXPECT_DOUBLE_EQ(LogMixtureRatio(0.5, 1e6), 1e6 + std::log(0.5));
  EXPECT_DOUBLE_EQ(LogMixtureRatio(0.25, -1e6), std::log(0.75));
  EXPECT_DOUBLE_EQ(LogMixtureRatio(1, -1e6), -1e6);
}

TEST(LogMomentTest, QuadratureLiesJustAboveTheBinomialSum) {
  for (const double sigma : {0.3, 0.6, 1.0, 1.24, 2.0, 6.3, 20.0, 100.0, 1e6}) {
    for (const double nu : {1e-4, 0.01, 0.05, 0.5, 0.999, 1.0}) {
      const SubsampledGaussian release = Release(nu, sigma);
      for (const int order : {2, 3, 4, 5, 8, 13, 32, 64, 128, 256, 1024}) {
        const double sum = LogMomentIntegerOrder(release, order);
        const double bound = LogMomentUpperBound(release, order);
        // The sum itself is good to some 1e-13; the bound adds at most 1e-11 of its own.
        EXPECT_GE(bound, sum * (1 - 3e-13)) << sigma << " " << nu << " " << order;
        EXPECT_LE(bound, sum * (1 + 2e-11)) << sigma << " " << nu << " " << order;
      }
    }
  }
}

TEST(LogMomentTest, RealOrdersLieJustAboveSimpsonsRule) {
  for (const double sigma : {0.6, 1.24, 6.3}) {
    for (const double nu : {0.01, 0.05, 0.3, 1.0}) {
      for (const double order : {1.01, 1.25, 1.5, 1.75, 2.5, 3.5, 8.1235, 17.3}) {
        const double truth = LogMomentBySimpson(nu, sigma, order);
        const double bound = LogMomentUpperBound(Release(nu, sigma), order);
        EXPECT_GE(bound, truth - 1e-17 - 1e-15 * truth) << sigma << " " << nu << " " << order;
        EXPECT_LE(bound, truth + 1e-17 + 1e-11 * truth) << sigma << " " << nu << " " << order;
      }
    }
  }
}

TEST(LogMomentTest, SmallMomentsKeepTheirRelativeAccuracy) {
  // To first order A_2 − 1 = ν² expm1(1/σ²); exact at order 2.
  for (const double sigma : {10.0, 1e3, 1e6, 1e9}) {
    for (const double nu : {1e-6, 1e-4, 1e-2}) {
      const double exact = std::log1p(nu * nu * std::expm1(1 / (sigma * sigma)));
      const double bound = LogMomentUpperBound(Release(nu, sigma), 2);
      EXPECT_GE(bound, exact * (1 - 1e-15));
      EXPECT_LE(bound, exact * (1 + 1e-6) + 3e-36) << sigma << " " << nu;
      if (exact > 1e-22) {
        EXPECT_LE(bound, exact * (1 + 2e-12)) << sigma << " " << nu;
      }
    }
  }
}

TEST(LogMomentTest, OrdersNextToOneKeepTheKullbackLeiblerDivergence) {
  // rdp(a) tends to KL as a → 1 and is continuous: no cancellation may show at 1 + 10⁻⁹.
  const SubsampledGaussian release = Release(0.05, 1.24);
  const double near = LogMomentUpperBound(release, 1 + 0x1p-30) / 0x1p-30;
  const double nearer = LogMomentUpperBound(release, 1 + 0x1p-20) / 0x1p-20;
  EXPECT_NEAR(near, nearer, 2e-5 * near);
  EXPECT_LE(near, nearer);
}

TEST(LogMomentTest, FullBatchIsTheGaussianClosedForm) {
  for (const double sigma : {1e-3, 0.5, 1.24, 6.3, 1e9}) {
    for (const double order : {1.0625, 2.0, 7.5, 1e4}) {
      const double exact = order * (order - 1) / 2 / sigma / sigma;
      EXPECT_GE(LogMomentUpperBound(Release(1, sigma), order), exact * (1 - 2e-16));
      EXPECT_LE(LogMomentUpperBound(Release(1, sigma), order), exact * (1 + 4e-15));
    }
  }
}

TEST(LogMomentTest, GrowsWithOrderAndSamplingAndFallsWithNoise) {
  // Steps of 3 % over many decades, across every branch of the computation. The bounds' own slack
  // is below 2e-11.
  constexpr double kSlack = 1 - 2e-11;
  for (const double nu : {1e-6, 1e-3, 0.05, 0.7}) {
    double previous = 0;
    for (double order = 1.001; order < 3e4; order = 1 + (order - 1) * 1.3) {
      const double value = LogMomentUpperBound(Release(nu, 2.5), order) / (order - 1);
      EXPECT_GE(value, previous * kSlack) << nu << " order " << order;
      previous = value;
    }
    previous = kInfinity;
    for (double sigma = 0.05; sigma < 1e4; sigma *= 1.1) {
      const double value = LogMomentUpperBound(Release(nu, sigma), 6.5);
      EXPECT_LE(value * kSlack, previous) << nu << " sigma " << sigma;
      previous = value;
    }
  }
  double previous = 0;
  for (double nu = 1e-9; nu < 1; nu *= 1.2) {
    const double value = LogMomentUpperBound(Release(nu, 1.24), 6.5);
    EXPECT_GE(value, previous * kSlack) << "nu " << nu;
    previous = value;
  }
  EXPECT_GE(LogMomentUpperBound(Release(1, 1.24), 6.5), previous * kSlack);
}

TEST(LogMomentTest, ExtremeReleasesHavePositivePricesFromAbove) {
  for (const double nu : {5e-324, 1e-60, 0.5, 1.0}) {
    for (const double sigma : {1e20, 1e60, 1e150}) {
      for (const double order : {1 + 1e-9, 2.0, 1e6}) {
        const double value = LogMomentUpperBound(Release(nu, sigma), order);
        EXPECT_GT(value, 0) << nu << " " << sigma << " " << order;
        EXPECT_LT(value, 1e-20) << nu << " " << sigma << " " << order;
      }
    }
  }
  EXPECT_EQ(LogMomentUpperBound(Release(0.5, 1e-300), 2), kInfinity);
  EXPECT_EQ(LogMomentUpperBound(Release(1, 1e-300), 2), kInfinity);
  const double tiny_noise = LogMomentUpperBound(Release(0.5, 1e-3), 2);
  EXPECT_NEAR(tiny_noise, 1e6 + 2 * std::log(0.5), 1e-6);
}

TEST(LogMomentTest, OrdersThatMeanNothingArePricedInfinite) {
  const SubsampledGaussian release = Release(0.05, 1.24);
  for (const double order : {1.0, 0.5, 0.0, -3.0, kInfinity, kNan}) {
    EXPECT_EQ(LogMomentUpperBound(release, order), kInfinity) << order;
  }
  EXPECT_EQ(LogMomentIntegerOrder(release, 1), kInfinity);
  EXPECT_EQ(LogMomentIntegerOrder(release, (int64_t{1} << 20) + 1), kInfinity);
}

// The paper takes the larger of E1 and E2; pricing only E2 relies on this. log E1 is computed to
// about 1e-12 absolute, so that small moments are compared where both are above it.
TEST(LogMomentTest, RemovingAUnitAlwaysCostsAtLeastAsMuchAsAddingOne) {
  int telling = 0;
  for (const double sigma : {0.3, 0.5, 0.8, 1.0, 1.24, 2.0, 6.3, 40.0}) {
    for (const double nu : {1e-4, 0.001, 0.0125, 0.05, 0.3, 0.7, 0.9, 0.999}) {
      for (const double lambda : {0.1, 0.5, 1.0, 2.0, 3.5, 8.0, 32.0, 100.0, 256.0}) {
        const SubsampledGaussian release = Release(nu, sigma);
        const double e1 = LogMomentOtherDirection(release, lambda);
        const double e2 = LogMomentUpperBound(release, lambda + 1);
        EXPECT_LE(e1, e2 * (1 + 1e-12) + 2e-12) << sigma << " " << nu << " " << lambda;
        if (e2 > 1e-9) ++telling;
      }
    }
  }
  EXPECT_GT(telling, 500);
}

TEST(LogMomentTest, BothDirectionsAreEqualWithoutSampling) {
  for (const double lambda : {1.0, 4.0, 20.0}) {
    const double exact = lambda * (lambda + 1) / 2 / (1.24 * 1.24);
    EXPECT_NEAR(LogMomentOtherDirection(Release(1, 1.24), lambda), exact, 1e-11 * exact);
  }
}

}  // namespace subsampled_gaussian_test
}  // namespace topicwall::accountant
