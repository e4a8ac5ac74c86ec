#include "accountant/accountants/gaussian_mechanism.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/accountant/golden_table.h"

namespace topicwall::accountant {
namespace {

TEST(LogNormalCdfTest, KnownValues) {
  EXPECT_DOUBLE_EQ(LogNormalCdf(0), std::log(0.5));
  // From tables of the normal distribution: Φ(−1.96) and log Φ(−40) (asymptotics to 8 terms).
  EXPECT_NEAR(std::exp(LogNormalCdf(-1.959963984540054)), 0.025, 1e-15);
  EXPECT_NEAR(LogNormalCdf(-40), -804.6084420137538, 1e-9);
}

TEST(LogNormalCdfTest, TheTwoBranchesMeet) {
  const double left = LogNormalCdf(-37.0);
  const double right = LogNormalCdf(-37.0 + 1e-9);
  // The slope there is 37.03 per unit.
  EXPECT_NEAR(right - left, 37.03e-9, 1e-9);
}

TEST(GaussianMechanismTest, DeltaIsTheHockeyStickDivergence) {
  // δ(0) is the total variation distance, 2Φ(μ/2) − 1 = erf(μ/√8).
  for (const double sigma : {0.5, 1.0, 3.0, 50.0}) {
    const double exact = std::erf(1 / sigma / std::sqrt(8.0));
    EXPECT_GE(GaussianDeltaUpperBound(0, sigma), exact) << sigma;
    EXPECT_LE(GaussianDeltaUpperBound(0, sigma), exact + 5e-15) << sigma;
  }
}

TEST(GaussianMechanismTest, EpsilonInvertsDeltaFromAbove) {
  for (const double sigma : {0.1, 1.0, 6.3, 200.0}) {
    for (const double delta : {1e-15, 1e-9, 1e-4, 0.2}) {
      const double epsilon = GaussianEpsilonUpperBound(delta, sigma);
      EXPECT_LE(GaussianDeltaUpperBound(epsilon, sigma), delta) << sigma << " " << delta;
      if (epsilon > 0) {
        EXPECT_GT(GaussianDeltaUpperBound(epsilon * (1 - 1e-9), sigma), delta)
            << sigma << " " << delta;
      }
    }
  }
}

TEST(GaussianMechanismTest, FullBatchRowsOfTheWideTableAreReproduced) {
  int rows = 0;
  for (const GoldenRow& row : GoldenRows("accounting_wide.csv", "exact")) {
    if (row.nu != 1) continue;
    ++rows;
    const double sigma = row.sigma / std::sqrt(static_cast<double>(row.steps));
    EXPECT_NEAR(GaussianEpsilonUpperBound(row.delta, sigma), row.epsilon,
                1e-9 * row.epsilon + 1e-10)
        << row;
  }
  EXPECT_GE(rows, 20);
}

TEST(GaussianMechanismTest, ExtremeNoiseGivesExtremeEpsilonNotNonsense) {
  EXPECT_EQ(GaussianEpsilonUpperBound(1e-6, 1e-200), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(GaussianEpsilonUpperBound(1e-6, 1e-3), 500000 + 1000 * 4.7534, 50);
  EXPECT_EQ(GaussianEpsilonUpperBound(1e-6, 1e20), 0);
  EXPECT_EQ(GaussianEpsilonUpperBound(1, 1e-3), 0);
}

// By 60 digits: an ε of which e^ε is off by more than the two terms of δ(ε) differ.
TEST(GaussianMechanismTest, WhereRoundingIsAllThatIsLeftTheBoundsStillHold) {
  const double sigma = 0.0021087016580912015 / 0x1p20;
  const double delta = 1.7467067560669733e-215;
  const double exact = 1.23634479993e17;
  EXPECT_GE(GaussianEpsilonUpperBound(delta, sigma), exact * (1 - 1e-11));
  EXPECT_LE(GaussianEpsilonUpperBound(delta, sigma), exact * (1 + 1e-8));
  EXPECT_LE(GaussianEpsilonLowerBound(delta, sigma), exact * (1 + 1e-11));
  EXPECT_EQ(GaussianDeltaUpperBound(1e17, sigma), 1);
  EXPECT_GT(GaussianDeltaUpperBound(1.2363447269e17, sigma), delta);
  EXPECT_LT(GaussianDeltaUpperBound(1.2363448e17, sigma), delta);
  EXPECT_LT(GaussianDeltaLowerBound(1.2363448e17, sigma), delta);
  // μ²/2 itself, from where on ε's doubles are further from each other than μ.
  for (const double tiny : {1e-17, 1e-30, 1e-100}) {
    const long double mu = 1 / static_cast<long double>(tiny);
    EXPECT_GE(GaussianEpsilonUpperBound(0.9, tiny), mu * mu / 2 * (1 - 3e-17L)) << tiny;
    EXPECT_LE(GaussianEpsilonUpperBound(0.9, tiny), mu * mu / 2 * (1 + 1e-14L)) << tiny;
  }
  EXPECT_LT(GaussianDeltaUpperBound(1, 1e20), 1e-300) << "hardly anything, of much noise";
  EXPECT_LT(GaussianDeltaUpperBound(1e300, 1e20), 1e-300);
}

// By 60 digits. Doubles as small as these are as far from each other as from 0.
TEST(GaussianMechanismTest, ADeltaThatNoDoubleHoldsIsRoundedOutward) {
  EXPECT_GE(GaussianDeltaUpperBound(0.15909615294869453, 339.46231019528767 / std::sqrt(2.0)),
            2.546e-323);
  EXPECT_LE(GaussianDeltaLowerBound(3.58, 23.93 / std::sqrt(5.0)), 9.19e-324);
  EXPECT_GT(GaussianDeltaUpperBound(1e6, 1), 0) << "something was released";
}

TEST(GaussianMechanismTest, TheTextbookBoundIsLooser) {
  for (const double sigma : {5.0, 10.0}) {
    EXPECT_GT(ClassicalGaussianEpsilon(1e-5, sigma), GaussianEpsilonUpperBound(1e-5, sigma));
  }
}

}  // namespace
}  // namespace topicwall::accountant
