#include "accountant/accountants/rdp_to_dp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "accountant/accountants/gaussian_mechanism.h"

namespace topicwall::accountant {
namespace rdp_to_dp_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(RdpToDpTest, ConverterIsTheStatedFormula) {
  // a = 2, R = 1, δ = e⁻³: 1 + ln ½ − (−3 + ln 2) = 4 − 2 ln 2.
  EXPECT_NEAR(EpsilonUpperBound({.order = 2, .rdp = 1}, std::exp(-3)), 4 - 2 * std::log(2.0),
              1e-13);
  EXPECT_NEAR(ClassicEpsilonUpperBound({.order = 2, .rdp = 1}, std::exp(-3)), 4, 1e-13);
}

TEST(RdpToDpTest, EpsilonAndDeltaAreInverse) {
  for (const double order : {1.1, 2.0, 8.1235, 100.0}) {
    for (const double delta : {1e-12, 1e-4, 0.3}) {
      const RenyiPrice price = {.order = order, .rdp = 0.7};
      const double slack = 1e-12 * (order + 1);
      EXPECT_NEAR(LogDeltaUpperBound(price, EpsilonUpperBound(price, delta)), std::log(delta),
                  slack);
      EXPECT_NEAR(ClassicLogDeltaUpperBound(price, ClassicEpsilonUpperBound(price, delta)),
                  std::log(delta), slack);
    }
  }
}

TEST(RdpToDpTest, EveryOrderBoundsTheGaussianAndTheClassicConverterIsNeverBetter) {
  constexpr double kSigma = 2;
  for (const double delta : {1e-10, 1e-5, 1e-2}) {
    const double exact = GaussianEpsilonUpperBound(delta, kSigma);
    double best = kInfinity;
    for (double order = 1.01; order < 500; order *= 1.01) {
      const RenyiPrice price = {.order = order, .rdp = order / 2 / kSigma / kSigma};
      const double epsilon = EpsilonUpperBound(price, delta);
      EXPECT_GE(epsilon, exact);
      EXPECT_GE(ClassicEpsilonUpperBound(price, delta), epsilon);
      best = std::min(best, epsilon);
    }
    // The converter's own looseness on one Gaussian is below 25 % here.
    EXPECT_LE(best, 1.25 * exact) << delta;
  }
}

TEST(RdpToDpTest, TotalVariationBoundHoldsForTheGaussian) {
  for (const double sigma : {0.1, 1.0, 10.0, 1e6}) {
    const double kl = 0.5 / sigma / sigma;
    EXPECT_GE(TotalVariationUpperBound(kl), GaussianDeltaUpperBound(0, sigma)) << sigma;
  }
  EXPECT_EQ(TotalVariationUpperBound(0), 0);
}

TEST(RdpToDpTest, InfinitePricesStayInfinite) {
  EXPECT_EQ(EpsilonUpperBound({.order = 2, .rdp = kInfinity}, 0.5), kInfinity);
  EXPECT_EQ(LogDeltaUpperBound({.order = 2, .rdp = kInfinity}, 5), kInfinity);
  EXPECT_GE(TotalVariationUpperBound(kInfinity), 1);
}

// The header's formulas in long double, of the same double arguments.
TEST(RdpToDpTest, EveryConversionIsRoundedUp) {
  for (int i = 0; i < 400; ++i) {
    const double order = 1 + std::exp(-7 + 0.05 * i);
    const double rdp = std::exp(std::fmod(3.7 * i, 20) - 12);
    const double delta = std::exp(-std::fmod(1.3 * i, 40) - 0.1);
    const double epsilon = std::exp(std::fmod(2.9 * i, 9) - 5);
    const RenyiPrice price = {.order = order, .rdp = rdp};
    const long double a = order;
    const long double log_delta = std::log(static_cast<long double>(delta));
    EXPECT_GE(EpsilonUpperBound(price, delta),
              rdp + std::log1p(-1 / a) - (log_delta + std::log(a)) / (a - 1))
        << order;
    EXPECT_GE(ClassicEpsilonUpperBound(price, delta), rdp - log_delta / (a - 1)) << order;
    EXPECT_GE(LogDeltaUpperBound(price, epsilon),
              (a - 1) * (rdp + std::log1p(-1 / a) - epsilon) - std::log(a))
        << order;
    EXPECT_GE(ClassicLogDeltaUpperBound(price, epsilon),
              (a - 1) * (static_cast<long double>(rdp) - epsilon))
        << order;
    EXPECT_GE(TotalVariationUpperBound(rdp), std::sqrt(-std::expm1(-static_cast<long double>(rdp))))
        << rdp;
  }
}

}  // namespace rdp_to_dp_test
}  // namespace topicwall::accountant
