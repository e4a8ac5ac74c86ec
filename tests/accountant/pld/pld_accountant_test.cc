#include "accountant/pld/pld_accountant.h"

#include <cmath>
#include <limits>
#include <vector>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/accountants/renyi_accountant.h"
#include "tests/accountant/contour_inversion.h"
#include "tests/accountant/golden_table.h"
#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace pld_accountant_test {

PldAccountant Composed(const std::vector<DpEvent>& events) {
  PldAccountant accountant;
  for (const DpEvent& event : events) EXPECT_OK(accountant.Compose(event));
  return accountant;
}

EpsilonBracket Epsilon(const std::vector<DpEvent>& events, double delta) {
  return *Composed(events).Epsilon(delta);
}

// The goldens were computed by contour inversion, good to 1e-10.
void ExpectBracketsTheTruth(const GoldenRow& row) {
  const EpsilonBracket bracket = Epsilon({row.Event()}, row.delta);
  EXPECT_LE(bracket.lower, row.epsilon + 1e-10) << row;
  EXPECT_GE(bracket.upper, row.epsilon - 1e-10) << row;
  if (row.epsilon >= 0.01) {
    EXPECT_LE(bracket.upper - bracket.lower, 1e-3) << row;
  }
}

TEST(PldAccountantTest, BracketsTheTruthOnThePaperGrid) {
  const std::vector<GoldenRow> rows = GoldenRows("accounting_paper_grid.csv", "exact");
  ASSERT_EQ(rows.size(), 60);
  for (const GoldenRow& row : rows) {
    ExpectBracketsTheTruth(row);
    const EpsilonBracket bracket = Epsilon({row.Event()}, row.delta);
    EXPECT_LE(bracket.upper - bracket.lower, 1e-4) << row;
  }
}

TEST(PldAccountantTest, BracketsTheTruthFromOneReleaseToTenThousand) {
  int seen = 0;
  for (const GoldenRow& row : GoldenRows("accounting_wide.csv", "exact")) {
    // Rarer sampling takes seconds a row; see the next test.
    if (row.nu < 0.01 || (row.steps > 1000 && row.sigma < 2)) continue;
    ExpectBracketsTheTruth(row);
    ++seen;
  }
  EXPECT_GE(seen, 60);
}

TEST(PldAccountantTest, BracketsTheTruthWhereRareLossesRule) {
  for (const GoldenRow& row : GoldenRows("accounting_wide.csv", "exact")) {
    const bool rare = row.nu == 1e-4 && row.sigma == 1 && row.steps == 100;
    const bool single = row.nu == 1e-4 && row.sigma == 0.6 && row.steps == 1;
    if (rare || single) ExpectBracketsTheTruth(row);
  }
}

TEST(PldAccountantTest, ThePapersHeadlinePlanCosts0932) {
  const EpsilonBracket bracket = Epsilon({Event(0.05, 1.24, 20)}, 1e-4);
  EXPECT_NEAR(bracket.lower, 0.93201, 2e-5);
  EXPECT_NEAR(bracket.upper, 0.93201, 2e-5);
}

// Google's dp_accounting 0.6.0 prints 34.7262 here, below the truth 34.7383.
TEST(PldAccountantTest, DoesNotUnderReportTenThousandSteps) {
  const EpsilonBracket bracket = Epsilon({Event(0.2, 5, 10000)}, 1e-11);
  EXPECT_LE(bracket.lower, 34.7383);
  EXPECT_GE(bracket.upper, 34.7382);
  EXPECT_LE(bracket.upper - bracket.lower, 1e-3);
  const ContourInversion exact({Event(0.2, 5, 10000)});
  EXPECT_LE(exact.Delta(bracket.upper), 1e-11);
  EXPECT_GE(exact.Delta(bracket.lower), 1e-11);
}

TEST(PldAccountantTest, IsRightAtTinyDeltasAndManySteps) {
  struct Plan {
    DpEvent event;
    double delta;
  };
  const Plan plans[] = {{.event = Event(0.05, 1.24, 20), .delta = 1e-15},
                        {.event = Event(0.01, 2, 100000), .delta = 1e-15},
                        {.event = Event(0.02, 4, 100000), .delta = 1e-5},
                        {.event = Event(0.1, 0.9, 30), .delta = 1e-15}};
  for (const Plan& plan : plans) {
    const EpsilonBracket bracket = Epsilon({plan.event}, plan.delta);
    const ContourInversion exact({plan.event});
    EXPECT_LE(exact.Delta(bracket.upper), plan.delta * (1 + 1e-7)) << plan.delta;
    EXPECT_GE(exact.Delta(bracket.lower), plan.delta * (1 - 1e-7)) << plan.delta;
    EXPECT_LE(bracket.upper - bracket.lower, 1e-3);
  }
}

TEST(PldAccountantTest, BracketsMixturesOfDifferentReleases) {
  const std::vector<std::vector<DpEvent>> mixtures = {
      {Event(0.05, 1.24, 20), Event(0.3, 3, 5)},
      {Event(0.05, 1.24, 20), Event(1, 30, 40)},
      {Event(0.002, 0.8, 500), Event(0.1, 5, 200), Event(1, 60, 3), Event(0.01, 2, 17)}};
  for (const std::vector<DpEvent>& events : mixtures) {
    const ContourInversion exact(events);
    for (const double delta : {1e-3, 1e-7, 1e-12}) {
      const EpsilonBracket bracket = Epsilon(events, delta);
      EXPECT_LE(exact.Delta(bracket.upper), delta * (1 + 1e-8)) << delta;
      EXPECT_GE(exact.Delta(bracket.lower), delta * (1 - 1e-8)) << delta;
      EXPECT_LE(bracket.upper - bracket.lower, 1e-3) << delta;
    }
  }
}

TEST(PldAccountantTest, BracketsDeltaAtEveryEpsilon) {
  const std::vector<DpEvent> events = {Event(0.05, 1.24, 20)};
  const ContourInversion exact(events);
  const PldAccountant accountant = Composed(events);
  for (const double epsilon : {0.01, 0.2, 0.7, 1.5, 3.0, 5.0}) {
    const DeltaBracket bracket = *accountant.Delta(epsilon);
    const double truth = exact.Delta(epsilon);
    EXPECT_GE(bracket.upper, truth * (1 - 1e-9)) << epsilon;
    EXPECT_LE(bracket.lower, truth * (1 + 1e-9)) << epsilon;
    EXPECT_LE(bracket.upper, truth * 1.01) << epsilon;
    EXPECT_GE(bracket.lower, truth * 0.99) << epsilon;
  }
}

// On removal alone the truth would be too low: the other direction rules for some ε < 0 only, but
// a bound has to look. With hardly any subsampling both cost the same.
TEST(PldAccountantTest, AlmostEveryoneCostsAlmostAsMuchAsEveryone) {
  for (const double delta : {1e-2, 1e-6}) {
    const EpsilonBracket almost = Epsilon({Event(1 - 1e-9, 4, 10)}, delta);
    const double everyone = GaussianEpsilonUpperBound(delta, 4 / std::sqrt(10));
    EXPECT_NEAR(almost.upper, everyone, 1e-4 * everyone);
    EXPECT_NEAR(almost.lower, everyone, 1e-4 * everyone);
  }
}

TEST(PldAccountantTest, ReleasesOfEveryoneAreOneExactGaussian) {
  const EpsilonBracket bracket = Epsilon({Event(1, 30, 9), Event(1, 10, 1)}, 1e-6);
  const double sigma = 1 / std::sqrt(9 / 900.0 + 1 / 100.0);
  EXPECT_NEAR(bracket.upper, GaussianEpsilonUpperBound(1e-6, sigma), 1e-10);
  EXPECT_LE(bracket.lower, bracket.upper);
  EXPECT_LE(bracket.upper - bracket.lower, 1e-10);
}

// The sum 1/σ² = Σ n/σ_i² rounds once an addition: a large term before many small ones takes a
// little from each of them, behind them from hardly any.
TEST(PldAccountantTest, ManyReleasesOfEveryoneAreBracketedInWhateverOrderTheyCome) {
  constexpr double kTruth = 4.886554117511706;  // δ(ε) = 1e-6 at 1/σ² = 1 + 200000/1.06e8², mpmath
  const DpEvent small = Event(1, 1.06e8, 1);
  const DpEvent large = Event(1, 1, 1);
  const DpEvent sampled = Event(0.01, 1e6, 1);  // which changes nothing that the brackets show
  for (const bool large_first : {true, false}) {
    PldAccountant accountant;
    if (large_first) {
      EXPECT_OK(accountant.Compose(large));
    }
    for (int i = 0; i < 200000; ++i) EXPECT_OK(accountant.Compose(small));
    if (!large_first) {
      EXPECT_OK(accountant.Compose(large));
    }
    const EpsilonBracket alone = *accountant.Epsilon(1e-6);
    EXPECT_LE(alone.lower, kTruth);
    EXPECT_GE(alone.upper, kTruth);
    EXPECT_LE(alone.upper - alone.lower, 1e-9);
    EXPECT_OK(accountant.Compose(sampled));
    const EpsilonBracket mixed = *accountant.Epsilon(1e-6);
    EXPECT_LE(mixed.lower, kTruth);
    EXPECT_GE(mixed.upper, kTruth);
  }
}

TEST(PldAccountantTest, IsNeverAboveRenyi) {
  for (const double delta : {1e-3, 1e-9}) {
    for (const DpEvent& event : {Event(0.3, 0.6, 1), Event(0.001, 1, 2000), Event(0.5, 20, 50)}) {
      RenyiAccountant renyi;
      ASSERT_OK(renyi.Compose(event));
      EXPECT_LE(Epsilon({event}, delta).upper, renyi.Epsilon(delta)->upper);
    }
  }
  // Nor where lattices are wide.
  const DpEvent hardly_sampled = Event(1 - 5e-9, 24771.44, 1);
  RenyiAccountant renyi;
  ASSERT_OK(renyi.Compose(hardly_sampled));
  EXPECT_LE(Epsilon({hardly_sampled}, 9e-239).upper, renyi.Epsilon(9e-239)->upper);
  EXPECT_GE(Epsilon({hardly_sampled}, 9e-239).upper, 0.0013144);
  EXPECT_LE(Composed({hardly_sampled}).Delta(0.0015)->upper, renyi.Delta(0.0015)->upper);
}

TEST(PldAccountantTest, SaysNothingFalseWhereNoLatticeServes) {
  const EpsilonBracket huge = Epsilon({Event(0.5, 1e-3, 1)}, 1e-5);
  EXPECT_EQ(huge.lower, 0);
  EXPECT_GT(huge.upper, 1e5);
  EXPECT_EQ(Epsilon({Event(0.5, 1e-200, 1)}, 1e-5).upper, std::numeric_limits<double>::infinity());
  EXPECT_GT(Epsilon({Event(0.5, 1, kMostReleases)}, 1e-5).upper, 1e9);
  // A release of everyone without noise is not forgotten beside one that has a price.
  const PldAccountant naked = Composed({Event(0.05, 1.24, 20), Event(1, 1e-200, 1)});
  EXPECT_EQ(naked.Epsilon(1e-5)->upper, std::numeric_limits<double>::infinity());
  EXPECT_EQ(naked.Delta(3)->upper, 1);
}

}  // namespace pld_accountant_test
}  // namespace topicwall::accountant
