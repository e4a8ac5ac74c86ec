#include "accountant/accountants/renyi_accountant.h"

#include <cmath>
#include <limits>
#include <vector>

#include "accountant/accountants/gaussian_mechanism.h"
#include "accountant/accountants/rdp_to_dp.h"
#include "accountant/accountants/subsampled_gaussian.h"
#include "tests/accountant/golden_table.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace renyi_accountant_test {

double Epsilon(const GoldenRow& row) {
  RenyiAccountant accountant;
  EXPECT_OK(accountant.Compose(row.Event()));
  return accountant.Epsilon(row.delta)->upper;
}

TEST(RenyiAccountantTest, FindsTheBestRealOrderOnThePaperGrid) {
  const std::vector<GoldenRow> rows =
      GoldenRows("accounting_paper_grid.csv", "rdp_optimal_order_cks");
  ASSERT_EQ(rows.size(), 60);
  for (const GoldenRow& row : rows) {
    EXPECT_NEAR(Epsilon(row), row.epsilon, 1e-9 * row.epsilon) << row;
  }
}

TEST(RenyiAccountantTest, ThePapersHeadlinePlanCosts121) {
  EXPECT_NEAR(
      Epsilon(
          {.sigma = 1.24, .nu = 0.05, .steps = 20, .delta = 1e-4, .accountant = "", .epsilon = 0}),
      1.2132446, 1e-7);
}

TEST(RenyiAccountantTest, IsNeverAboveTheUsualGridOfOrders) {
  for (const std::string file : {"accounting_paper_grid.csv", "accounting_wide.csv"}) {
    const std::vector<GoldenRow> rows = GoldenRows(file, "rdp_default_orders");
    ASSERT_GE(rows.size(), 60);
    for (const GoldenRow& row : rows) {
      EXPECT_LE(Epsilon(row), row.epsilon * (1 + 1e-9)) << row;
    }
  }
}

TEST(RenyiAccountantTest, IsNeverBelowTheTruth) {
  for (const std::string file : {"accounting_paper_grid.csv", "accounting_wide.csv"}) {
    for (const std::string truth : {"exact", "pld_lower"}) {
      const std::vector<GoldenRow> rows = GoldenRows(file, truth);
      ASSERT_GE(rows.size(), 60);
      for (const GoldenRow& row : rows) {
        EXPECT_GE(Epsilon(row), row.epsilon) << row;
      }
    }
  }
}

TEST(RenyiAccountantTest, OrdersBeyondBothEndsOfTheGridAreFound) {
  // Full batch: ε(a) = aρ + ln((a−1)/a) − (ln δ + ln a)/(a−1), ρ = J/2σ²; the best order is near
  // 1 + (ln(1/δ)/ρ)^½. A dense scan is the independent answer.
  for (const double sigma : {2e-4, 3e-3, 1e4, 1e5}) {
    const double rho = 0.5 / sigma / sigma;
    const double delta = 1e-9;
    double expected = std::numeric_limits<double>::infinity();
    for (double y = -20; y < 28; y += 1e-4) {
      const double a = 1 + std::exp(y);
      expected = std::min(expected, a * rho + std::log1p(-1 / a) - std::log(delta * a) / (a - 1));
    }
    const double epsilon = Epsilon(
        {.sigma = sigma, .nu = 1, .steps = 1, .delta = delta, .accountant = "", .epsilon = 0});
    EXPECT_NEAR(epsilon, expected, 1e-8 * expected) << sigma;
    EXPECT_GE(epsilon, GaussianEpsilonUpperBound(delta, sigma) * (1 - 1e-9)) << sigma;
  }
}

// The same for sampled releases: best orders from 1 + 10⁻⁴ to beyond 10⁴, far outside the grid
// (a − 1 from 10⁻² to 10³) at both ends. The dense scan prices every order from a table of its own.
TEST(RenyiAccountantTest, NoSampledReleaseIsStoppedByAnEndOfTheGrid) {
  struct Plan {
    double sigma;
    double nu;
    int64_t steps;
    double delta;
  };
  for (const Plan& plan : std::vector<Plan>{{0.02, 0.5, 1000, 1e-6},
                                            {0.1, 0.9, 1000000, 1e-9},
                                            {2, 0.3, 100000000, 1e-5},
                                            {1.24, 0.05, 20, 1e-15},
                                            {50, 0.01, 1, 1e-12},
                                            {200, 0.9, 1, 1e-12},
                                            {1e4, 0.5, 3, 1e-9},
                                            {3e5, 0.2, 1, 1e-8}}) {
    const GoldenRow row = {.sigma = plan.sigma,
                           .nu = plan.nu,
                           .steps = plan.steps,
                           .delta = plan.delta,
                           .accountant = "",
                           .epsilon = 0};
    const auto at = [&](double y) {
      const double a = 1 + std::exp(y);
      const double moment = LogMomentUpperBound(row.Event().release, a);
      return EpsilonUpperBound(
          {.order = a, .rdp = static_cast<double>(plan.steps) * moment / (a - 1)}, plan.delta);
    };
    double best = -18;
    double expected = at(best);
    for (double y = -18; y < 22; y += 0.1) {
      const double value = at(y);
      if (value < expected) best = y;
      expected = std::min(expected, value);
    }
    for (double y = best - 0.1; y < best + 0.1; y += 1e-3) expected = std::min(expected, at(y));
    // The scan itself may miss the valley's bottom by half a step.
    EXPECT_LE(Epsilon(row), expected * (1 + 1e-9)) << plan.sigma << " " << plan.nu;
    EXPECT_GE(Epsilon(row), expected * (1 - 1e-3)) << plan.sigma << " " << plan.nu;
  }
}

TEST(RenyiAccountantTest, KindsBeyondTheTablesKeptAreAddedAllTheSame) {
  RenyiAccountant accountant;
  double moment = 0;
  for (int i = 0; i < 1030; ++i) {
    const SubsampledGaussian release =
        *SubsampledGaussian::Create({.sampling_rate = 0.01, .noise_multipliers = {5 + 0.01 * i}});
    ASSERT_OK(accountant.Compose({.release = release, .count = 1}));
    moment += LogMomentUpperBound(release, 20);
  }
  EXPECT_NEAR(accountant.RenyiDivergenceUpperBound(20), moment / 19, 1e-12 * moment);
  EXPECT_GE(accountant.RenyiDivergenceUpperBound(20), moment / 19);
}

TEST(RenyiAccountantTest, MoreReleasesThanADoubleCountsAreNeverTooFew) {
  RenyiAccountant accountant;
  const GoldenRow plan = {
      .sigma = 1e9, .nu = 1, .steps = kMostReleases, .delta = 0, .accountant = "", .epsilon = 0};
  for (int i = 0; i < 9000; ++i) ASSERT_OK(accountant.Compose(plan.Event()));
  const GoldenRow one = {
      .sigma = 1e9, .nu = 1, .steps = 1, .delta = 0, .accountant = "", .epsilon = 0};
  ASSERT_OK(accountant.Compose(one.Event()));
  const double count = 9000 * static_cast<double>(kMostReleases);
  EXPECT_GE(accountant.RenyiDivergenceUpperBound(2), count * 1e-18);
  EXPECT_NEAR(accountant.RenyiDivergenceUpperBound(2), count * 1e-18, 1e-12 * count * 1e-18);
}

TEST(RenyiAccountantTest, TinyLossesCostNothingOnceDeltaCoversTheirTotalVariation) {
  RenyiAccountant accountant;
  const GoldenRow plan = {
      .sigma = 50, .nu = 1e-4, .steps = 1, .delta = 1e-4, .accountant = "", .epsilon = 0};
  ASSERT_OK(accountant.Compose(plan.Event()));
  EXPECT_EQ(accountant.Epsilon(1e-4)->upper, 0);
  const double delta = accountant.Delta(1e-9)->upper;
  EXPECT_LT(delta, 1e-5);
  EXPECT_GT(delta, 1e-6 * std::erf(1 / 50.0 / std::sqrt(8.0)));
}

TEST(RenyiAccountantTest, DivergencesOfDifferentReleasesAddUp) {
  RenyiAccountant accountant;
  const GoldenRow first = {
      .sigma = 1.24, .nu = 0.05, .steps = 20, .delta = 0, .accountant = "", .epsilon = 0};
  const GoldenRow second = {
      .sigma = 3, .nu = 0.3, .steps = 5, .delta = 0, .accountant = "", .epsilon = 0};
  ASSERT_OK(accountant.Compose(first.Event()));
  ASSERT_OK(accountant.Compose(second.Event()));
  const double expected = (20 * LogMomentIntegerOrder(first.Event().release, 6) +
                           5 * LogMomentIntegerOrder(second.Event().release, 6)) /
                          5;
  EXPECT_NEAR(accountant.RenyiDivergenceUpperBound(6), expected, 1e-11 * expected);
}

TEST(RenyiAccountantTest, HundredsOfDifferentPlansComposeLikeTheirClosedForm) {
  // Full-batch releases at σ_i are one Gaussian release at (Σ σ_i⁻²)^−½.
  RenyiAccountant many;
  double inverse_squares = 0;
  for (int i = 0; i < 300; ++i) {
    const double sigma = 50 + i;
    inverse_squares += 1 / sigma / sigma;
    const GoldenRow plan = {
        .sigma = sigma, .nu = 1, .steps = 1, .delta = 0, .accountant = "", .epsilon = 0};
    ASSERT_OK(many.Compose(plan.Event()));
  }
  const double expected = Epsilon({.sigma = 1 / std::sqrt(inverse_squares),
                                   .nu = 1,
                                   .steps = 1,
                                   .delta = 1e-6,
                                   .accountant = "",
                                   .epsilon = 0});
  // The search ends at 1e-7 of the least value for many kinds; it never ends below.
  EXPECT_NEAR(many.Epsilon(1e-6)->upper, expected, 1e-7 * expected);
  EXPECT_GE(many.Epsilon(1e-6)->upper, expected * (1 - 2e-10));
}

// Releases of everyone have the divergence a/2σ², here added up in long double. Small ones behind a
// large one lose a little of themselves at every addition.
TEST(RenyiAccountantTest, TheDivergenceOfManyKindsIsRoundedUp) {
  RenyiAccountant accountant;
  EXPECT_OK(accountant.Compose(
      {.release = *SubsampledGaussian::Create({.sampling_rate = 1, .noise_multipliers = {1}}),
       .count = 1}));
  long double inverse_variance = 1;
  for (int i = 0; i < 2000; ++i) {
    const double sigma = 1.3e8 - i;
    EXPECT_OK(accountant.Compose(
        {.release = *SubsampledGaussian::Create({.sampling_rate = 1, .noise_multipliers = {sigma}}),
         .count = 1}));
    inverse_variance += 1 / (static_cast<long double>(sigma) * sigma);
  }
  for (const double order : {1.5, 2.0, 6.0, 33.0}) {
    const long double truth = inverse_variance * order / 2;
    EXPECT_GE(accountant.RenyiDivergenceUpperBound(order), truth) << order;
    EXPECT_LE(accountant.RenyiDivergenceUpperBound(order), truth * (1 + 1e-11L)) << order;
  }
}

}  // namespace renyi_accountant_test
}  // namespace topicwall::accountant
