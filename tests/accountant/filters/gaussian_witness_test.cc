#include "accountant/filters/gaussian_witness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "accountant/accountants/gaussian_mechanism.h"

namespace topicwall::accountant {
namespace {

// w as a multiple of 2^-32.
double Weight(double share) { return std::ldexp(std::floor(std::ldexp(share, 32)), -32); }

// Computed with mpmath 1.3.0 at 60 digits from the formulas of the header, by bisection over the
// integers: B at ε, the least ε of B and of B + 1, and the all-times ε of B.
struct Golden {
  double delta;
  double weight;
  int64_t epsilon_units;
  uint64_t budget;
  int64_t least_epsilon;
  int64_t least_epsilon_of_one_more;
  double at_all_times;
};
constexpr Golden kGolden[] = {
    {1e-9, 0.9, 429496729, 1690937, 429496624, 429496755, 0.12267683184546072},
    {1e-6, 0.9, 10479720202, 1229042517, 10479720199, 10479720203, 2.7963374027128997},
    {1e-6, 1, 10479720202, 1240146985, 10479720200, 10479720205, 2.798521368743876},
    {1e-3, 0.5, 128849018880, 116880557769, 128849018880, 128849018881, 31.658293020828111},
    {1e-6, 0.9, 4294967296000, 6948386455185, 4294967296000, 4294967296001, 1003.1487023948935},
    {1e-12, 0.9, 4294967, 145, 4284837, 4300059, 0.0013203391869380725},
    {0.75, 1, 2147483648, 28603575292, 2147483648, 2147483649, 3.2767070645685049},
    {1e-300, 0.9, 4294967296, 3159748, 4294967184, 4294967864, 1.0060238931076398},
};

TEST(GaussianWitnessTest, BudgetAndMeterAreTheExactIntegers) {
  for (const Golden& golden : kGolden) {
    const GaussianWitness witness(Weight(golden.weight), golden.delta);
    EXPECT_EQ(witness.BudgetAt(golden.epsilon_units), golden.budget) << golden.delta;
    EXPECT_EQ(witness.LeastEpsilon(golden.budget), golden.least_epsilon) << golden.delta;
    EXPECT_EQ(witness.LeastEpsilon(golden.budget + 1), golden.least_epsilon_of_one_more)
        << golden.delta;
  }
}

TEST(GaussianWitnessTest, TheLossAtAllTimesIsTheExactOneRoundedUp) {
  for (const Golden& golden : kGolden) {
    const double x =
        GaussianWitness(Weight(golden.weight), golden.delta).EpsilonAtAllTimes(golden.budget);
    EXPECT_GE(x, golden.at_all_times) << golden.delta;
    EXPECT_LE(x, golden.at_all_times * (1 + 1e-12) + 1e-10) << golden.delta;
  }
}

// The largest ε a budget may have: a million nats, where e^ε is no number.
TEST(GaussianWitnessTest, HugeBudgetsHaveFiniteAnswers) {
  const GaussianWitness witness(Weight(0.9), 1e-6);
  const int64_t units = int64_t{1} << 52;
  const uint64_t budget = witness.BudgetAt(units);
  EXPECT_EQ(budget, 8948008512640111u);  // mpmath, as above
  EXPECT_EQ(witness.LeastEpsilon(budget), units);
  EXPECT_NEAR(witness.EpsilonAtAllTimes(budget), 1048582.6732172519, 1e-6);
}

TEST(GaussianWitnessTest, ThreeQuestionsHaveOneAnswer) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 300; ++i) {
    const GaussianWitness witness(Weight(0.01 + 0.99 * unit(random)), std::exp(-40 * unit(random)));
    const auto epsilon = static_cast<int64_t>(std::exp(14 + 26 * unit(random)));
    const uint64_t budget = witness.BudgetAt(epsilon);
    EXPECT_TRUE(witness.Holds(epsilon, budget));
    EXPECT_FALSE(witness.Holds(epsilon, budget + 1));
    const auto spent = 1 + static_cast<uint64_t>(std::exp(38 * unit(random)));
    const auto least = witness.LeastEpsilon(spent);
    ASSERT_TRUE(least.has_value());
    EXPECT_TRUE(witness.Holds(*least, spent));
    EXPECT_FALSE(*least > 0 && witness.Holds(*least - 1, spent));
    EXPECT_GE(witness.BudgetAt(*least), spent);
    EXPECT_TRUE(*least == 0 || witness.BudgetAt(*least - 1) < spent);
    EXPECT_EQ(budget >= spent, epsilon >= *least);
  }
}

TEST(GaussianWitnessTest, NothingSpentHoldsAndTooMuchNever) {
  const GaussianWitness witness(1, 1e-6);
  EXPECT_TRUE(witness.Holds(0, 0));
  EXPECT_EQ(witness.LeastEpsilon(0), 0);
  for (const uint64_t dead : {(uint64_t{1} << 62) + 1, std::numeric_limits<uint64_t>::max()}) {
    EXPECT_FALSE(witness.Holds(int64_t{1} << 62, dead));
    EXPECT_EQ(witness.LeastEpsilon(dead), std::nullopt);
  }
}

TEST(GaussianWitnessTest, TheCurveIsThePlainGaussiansFromAbove) {
  for (const uint64_t spent : {uint64_t{1} << 8, uint64_t{1} << 24, uint64_t{1} << 30,
                               uint64_t{1} << 32, uint64_t{1} << 38}) {
    const double sigma = 1 / std::sqrt(std::ldexp(static_cast<double>(spent), -32));
    for (double epsilon = 0; epsilon < 20 / sigma + 1; epsilon += 0.3 / sigma) {
      const double delta = GaussianWitness::DeltaUpperBound(epsilon, spent);
      EXPECT_GE(delta, GaussianDeltaLowerBound(epsilon, sigma)) << spent << " " << epsilon;
      EXPECT_LE(delta, GaussianDeltaUpperBound(epsilon, sigma) + 4e-13) << spent << " " << epsilon;
    }
  }
  EXPECT_EQ(GaussianWitness::DeltaUpperBound(0, uint64_t{1} << 62), 1);
}

TEST(GaussianWitnessTest, APriceIsRoundedUpAndNeverNothing) {
  for (const double sigma : {0.7, 1.0, 6.3, 10.1685, 71.9022, 1e4}) {
    const long double exact = std::ldexp(1.0L, 32) / (static_cast<long double>(sigma) * sigma);
    const auto price = static_cast<long double>(GaussianCostPerRelease(sigma));
    EXPECT_GT(price, exact) << sigma;
    EXPECT_LE(price, exact * (1 + 1e-12L) + 1) << sigma;
  }
  EXPECT_EQ(GaussianCostPerRelease(1e9), 1u);
  EXPECT_EQ(GaussianCostPerRelease(1e300), 1u);
  EXPECT_EQ(GaussianCostPerRelease(1e-6), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(GaussianCostPerRelease(1e-200), std::numeric_limits<uint64_t>::max());
}

}  // namespace
}  // namespace topicwall::accountant
