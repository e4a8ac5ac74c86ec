#include "accountant/renyi_accountant.h"

#include <cmath>

#include "accountant/gaussian_mechanism.h"
#include "accountant/subsampled_gaussian.h"
#include "tests/accountant/golden_table.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

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
  EXPECT_NEAR(many.Epsilon(1e-6)->upper, expected, 1e-11 * expected);
}

}  // namespace
}  // namespace topicwall::accountant
