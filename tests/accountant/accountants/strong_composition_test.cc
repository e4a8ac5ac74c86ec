#include "accountant/accountants/strong_composition.h"

#include <cmath>

#include "accountant/accountants/gaussian_mechanism.h"
#include "tests/accountant/golden_table.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace strong_composition_test {

using Gaussian = StrongComposition::Gaussian;
using Rule = StrongComposition::Rule;
using Split = StrongComposition::Split;

double Epsilon(const StrongComposition::Options& options, const GoldenRow& row) {
  StrongComposition accountant(options);
  EXPECT_OK(accountant.Compose(row.Event()));
  return accountant.Epsilon(row.delta)->upper;
}

void ExpectTable(const std::string& name, const StrongComposition::Options& options,
                 double tolerance) {
  const std::vector<GoldenRow> rows = GoldenRows("accounting_paper_grid.csv", name);
  ASSERT_EQ(rows.size(), 60);
  for (const GoldenRow& row : rows) {
    EXPECT_NEAR(Epsilon(options, row), row.epsilon, tolerance * row.epsilon) << row;
  }
}

TEST(StrongCompositionTest, ReproducesThePaperGridWithHalfOfDeltaAsSlack) {
  ExpectTable("strong_analytic_half", {.split = Split::kHalf, .gaussian = Gaussian::kAnalytic},
              1e-9);
  ExpectTable("strong_classical_half", {.split = Split::kHalf, .gaussian = Gaussian::kClassical},
              1e-9);
}

TEST(StrongCompositionTest, ReproducesThePaperGridWithTheBestSplit) {
  ExpectTable("strong_analytic_bestsplit", {.split = Split::kBest, .gaussian = Gaussian::kAnalytic},
              1e-6);
  ExpectTable("strong_classical_bestsplit",
              {.split = Split::kBest, .gaussian = Gaussian::kClassical}, 1e-6);
}

TEST(StrongCompositionTest, BasicRuleReproducesThePaperGrid) {
  ExpectTable("basic_analytic", {.rule = Rule::kBasic}, 1e-9);
}

TEST(StrongCompositionTest, BothRulesBoundTheTruth) {
  for (const GoldenRow& row : GoldenRows("accounting_paper_grid.csv", "exact")) {
    EXPECT_GE(Epsilon({.rule = Rule::kStrong}, row), row.epsilon) << row;
    EXPECT_GE(Epsilon({.rule = Rule::kBasic}, row), row.epsilon) << row;
  }
}

TEST(StrongCompositionTest, OneReleaseUnderTheBasicRuleIsTheExactGaussian) {
  const GoldenRow row = {
      .sigma = 2, .nu = 1, .steps = 1, .delta = 1e-5, .accountant = "", .epsilon = 0};
  EXPECT_DOUBLE_EQ(Epsilon({.rule = Rule::kBasic}, row), GaussianEpsilonUpperBound(1e-5, 2));
}

TEST(StrongCompositionTest, DeltaErrsToThePrivateSide) {
  StrongComposition accountant({.rule = Rule::kBasic});
  const GoldenRow row = {
      .sigma = 4, .nu = 0.1, .steps = 10, .delta = 0, .accountant = "", .epsilon = 0};
  ASSERT_OK(accountant.Compose(row.Event()));
  for (const double epsilon : {0.5, 1.0, 3.0}) {
    const double delta = accountant.Delta(epsilon)->upper;
    EXPECT_LE(accountant.Epsilon(delta)->upper, epsilon);
    EXPECT_GT(accountant.Epsilon(delta * (1 - 1e-9))->upper, epsilon);
  }
  EXPECT_OK(accountant.Epsilon(accountant.Delta(1000)->upper)) << "the least there is";
}

}  // namespace strong_composition_test
}  // namespace topicwall::accountant
