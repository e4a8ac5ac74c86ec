#include "accountant/pld/loss_lattice.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace loss_lattice_test {

double Phi(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }

// δ(ε) of one release in closed form: the likelihood ratio is monotone in the outcome, so the best
// test is a threshold x on it.
double ExactOnRemoval(double sigma, double nu, double epsilon) {
  const double ratio = std::expm1(epsilon) / nu;
  if (!(ratio > -1)) return -std::expm1(epsilon);
  const double x = sigma * sigma * std::log1p(ratio) + 0.5;
  return (1 - nu) * Phi(-x / sigma) + nu * Phi((1 - x) / sigma) -
         std::exp(epsilon) * Phi(-x / sigma);
}

double ExactOnAddition(double sigma, double nu, double epsilon) {
  const double ratio = std::expm1(-epsilon) / nu;
  if (!(ratio > -1)) return 0;
  const double x = sigma * sigma * std::log1p(ratio) + 0.5;
  return Phi(x / sigma) -
         std::exp(epsilon) * ((1 - nu) * Phi(x / sigma) + nu * Phi((x - 1) / sigma));
}

double DeltaOf(const LossLattice& lattice, double epsilon) {
  double delta = lattice.infinite_mass;
  for (size_t i = lattice.mass.size(); i-- > 0;) {
    const double loss =
        static_cast<double>(lattice.lowest + static_cast<int64_t>(i)) * lattice.spacing;
    if (loss > epsilon) delta += lattice.mass[i] * -std::expm1(epsilon - loss);
  }
  return delta;
}

double Sum(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

// σ, ν, points per unit of ν/σ (about the standard deviation of one loss).
class LossLatticeTest : public ::testing::TestWithParam<std::tuple<double, double, double>> {
 protected:
  double sigma() const { return std::get<0>(GetParam()); }
  double nu() const { return std::get<1>(GetParam()); }
  double spacing() const { return nu() / sigma() / std::get<2>(GetParam()); }
  ReleaseLoss Loss() const {
    return ReleaseLoss(Release(nu(), sigma()), {.spacing = spacing(), .tail_mass = 1e-14});
  }
  // Inside and between grid points, over everything that can happen.
  std::vector<double> Epsilons() const {
    const double highest =
        std::log1p(nu() * std::expm1((12 * sigma() + 1) / sigma() / sigma() / 2));
    std::vector<double> epsilons;
    for (double epsilon = -3 * spacing(); epsilon < std::min(highest, 40.0);
         epsilon += highest / 97 + 0.37 * spacing()) {
      epsilons.push_back(epsilon);
    }
    return epsilons;
  }
};

TEST_P(LossLatticeTest, UpperCurvesLieAboveTheTruthInBothDirections) {
  const LossLattice removed = Loss().UpperOnRemoval();
  const LossLattice added = Loss().UpperOnAddition();
  for (const double epsilon : Epsilons()) {
    const double truth = ExactOnRemoval(sigma(), nu(), epsilon);
    EXPECT_GE(DeltaOf(removed, epsilon), truth - 1e-15) << epsilon;
    EXPECT_GE(DeltaOf(added, epsilon), ExactOnAddition(sigma(), nu(), epsilon) - 1e-15) << epsilon;
  }
}

TEST_P(LossLatticeTest, TheLowerCurveLiesBelowTheTruth) {
  const LossLattice lattice = Loss().LowerOnRemoval();
  for (const double epsilon : Epsilons()) {
    EXPECT_LE(DeltaOf(lattice, epsilon), ExactOnRemoval(sigma(), nu(), epsilon) + 1e-15) << epsilon;
  }
  EXPECT_LE(Sum(lattice.mass), 1 + 1e-12);
}

// In the limit of many releases it is the variance that counts: a cell of width h adds at most h²/4
// to it above and takes no more than h² below.
TEST_P(LossLatticeTest, BothCurvesAreCloseToSecondOrder) {
  const LossLattice upper = Loss().UpperOnRemoval();
  const LossLattice lower = Loss().LowerOnRemoval();
  if (lower.mass.size() == 1) return;  // said to be possible; see the next test
  double upper_mean = 0;
  double lower_mean = 0;
  for (size_t i = 0; i < upper.mass.size(); ++i) {
    const double loss = static_cast<double>(upper.lowest + static_cast<int64_t>(i)) * spacing();
    upper_mean += upper.mass[i] * loss;
    lower_mean += lower.mass[i] * loss;
  }
  EXPECT_GE(upper_mean, lower_mean - 1e-14);
  EXPECT_LE(upper_mean - lower_mean, spacing() * spacing());
}

TEST_P(LossLatticeTest, MassesArePositiveAndAddUpToOne) {
  for (const LossLattice& lattice :
       {Loss().UpperOnRemoval(), Loss().UpperOnAddition(), Loss().LowerOnRemoval()}) {
    for (const double mass : lattice.mass) ASSERT_GE(mass, 0);
    EXPECT_NEAR(Sum(lattice.mass) + lattice.infinite_mass, 1, 1e-8);
  }
  for (const LossLattice& lattice : {Loss().UpperOnRemoval(), Loss().UpperOnAddition()}) {
    EXPECT_GE(Sum(lattice.mass) + lattice.infinite_mass, 1 - 1e-11);
  }
}

INSTANTIATE_TEST_SUITE_P(Grids, LossLatticeTest,
                         ::testing::Combine(::testing::Values(0.6, 1.24, 5.0, 40.0),
                                            ::testing::Values(1.0, 0.5, 0.05, 0.001),
                                            ::testing::Values(3.0, 20.0, 200.0)));

TEST(ReleaseLossTest, TheLowerLatticeIsWorthSomethingOnAUsualGrid) {
  for (const double nu : {1.0, 0.5, 0.05, 0.001}) {
    const ReleaseLoss loss(Release(nu, 1.24), {.spacing = nu / 1.24 / 30, .tail_mass = 1e-14});
    const double truth = ExactOnRemoval(1.24, nu, 0.5 * nu);
    EXPECT_GE(DeltaOf(loss.LowerOnRemoval(), 0.5 * nu), 0.999 * truth) << nu;
  }
}

TEST(ReleaseLossTest, AGridTooCoarseForTheReleaseSaysNothingFromBelow) {
  const ReleaseLoss loss(Release(0.01, 20), {.spacing = 0.1, .tail_mass = 1e-14});
  EXPECT_EQ(DeltaOf(loss.LowerOnRemoval(), 0), 0);
  EXPECT_GE(DeltaOf(loss.UpperOnRemoval(), 0), ExactOnRemoval(20, 0.01, 0));
}

// A thousandth, where other tests leave out less than they could see.
TEST(ReleaseLossTest, WhatLiesBeyondTheGridIsLeftOutOfNoUpperLattice) {
  for (const double nu : {1.0, 0.5, 0.05}) {
    const ReleaseLoss loss(Release(nu, 1.24), {.spacing = nu / 1.24 / 20, .tail_mass = 1e-3});
    for (const LossLattice& lattice : {loss.UpperOnRemoval(), loss.UpperOnAddition()}) {
      EXPECT_GE(Sum(lattice.mass) + lattice.infinite_mass, 1 - 1e-12) << nu;
      EXPECT_GT(lattice.infinite_mass, 1e-6) << nu;
    }
  }
}

TEST(ReleaseLossTest, LossesThatWouldOverflowAreRefusedBeforehand) {
  const ReleaseLoss::Grid grid = {.spacing = 0.01, .tail_mass = 1e-10};
  EXPECT_TRUE(std::isinf(ReleaseLoss::GridPoints(Release(0.5, 0.01), grid)));
  EXPECT_TRUE(std::isinf(ReleaseLoss::GridPoints(Release(0.5, 1e-200), grid)));
  EXPECT_EQ(
      ReleaseLoss::GridPoints(Release(0.05, 1.24), grid),
      static_cast<double>(ReleaseLoss(Release(0.05, 1.24), grid).UpperOnRemoval().mass.size()));
}

// With σ and h powers of two the edges of cells are exact, so that nothing but what is added for
// rounding lies between a curve and the truth at a grid point, erfc in long double.
TEST(ReleaseLossTest, RoundingNeverTakesACurveBelowTheTruthAtAGridPoint) {
  const auto tail = [](long double z) { return std::erfc(z / std::sqrt(2.0L)) / 2; };
  for (const double sigma : {0.5, 1.0, 2.0, 4.0}) {
    for (const double spacing : {0x1p-4, 0x1p-7}) {
      const ReleaseLoss loss(Release(1, sigma), {.spacing = spacing, .tail_mass = 1e-60});
      for (const LossLattice& lattice : {loss.UpperOnRemoval(), loss.UpperOnAddition()}) {
        const auto loss_at = [&](size_t i) {
          return static_cast<long double>(lattice.lowest + static_cast<int64_t>(i)) * spacing;
        };
        // e^ε Σ_{j > i} p_j e^{−l_j} beside Σ_{j > i} p_j, from the top.
        long double with = 0;
        long double without = 0;
        for (size_t i = lattice.mass.size(); i-- > 0;) {
          const long double epsilon = loss_at(i);
          const long double z = epsilon * sigma - 0.5L / sigma;
          const long double truth = tail(z) - std::exp(epsilon) * tail(z + 1 / sigma);
          const long double delta = lattice.infinite_mass + with - std::exp(epsilon) * without;
          ASSERT_GE(delta, truth - 1e-18L * (truth + with)) << sigma << " " << i;
          with += lattice.mass[i];
          without += lattice.mass[i] * std::exp(-epsilon);
        }
        ASSERT_GE(with + lattice.infinite_mass, 1) << sigma;
      }
    }
  }
}

TEST_P(LossLatticeTest, NoUpperLatticeLosesMassToRounding) {
  for (const LossLattice& lattice : {Loss().UpperOnRemoval(), Loss().UpperOnAddition()}) {
    long double sum = lattice.infinite_mass;
    for (const double mass : lattice.mass) sum += mass;
    EXPECT_GE(sum, 1);
  }
}

}  // namespace loss_lattice_test
}  // namespace topicwall::accountant
