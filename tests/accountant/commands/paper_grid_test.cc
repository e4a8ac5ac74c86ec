#include "accountant/commands/paper_grid.h"

#include <map>

#include "accountant/accountants.h"
#include "tests/accountant/golden_table.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace {

std::map<std::string, EpsilonBracket> PricesOf(const PaperPoint& point) {
  std::map<std::string, EpsilonBracket> prices;
  for (const NamedPrice& price : point.prices) prices[price.accountant] = price.epsilon;
  return prices;
}

// Row of the golden table, at δ = 1e-4, for a label of the grid.
double Golden(const PaperPoint& point, const std::string& accountant) {
  for (const GoldenRow& row : GoldenRows("accounting_paper_grid.csv", accountant)) {
    if (row.sigma == point.plan.release.noise_multiplier() &&
        row.nu == point.plan.release.sampling_rate() && row.steps == point.plan.count &&
        row.delta == point.delta) {
      return row.epsilon;
    }
  }
  ADD_FAILURE() << "no row for " << accountant;
  return 0;
}

TEST(PaperGridTest, AgreesWithTheIndependentTableOnAll15Points) {
  const std::vector<PaperPoint> points = *PaperGrid();
  ASSERT_EQ(points.size(), 15);
  for (const PaperPoint& point : points) {
    const auto prices = PricesOf(point);
    for (const auto& [label, golden] :
         std::map<std::string, std::string>{{"moments-paper-cap", "ma_lambda_le_abadi_lemma3"},
                                            {"moments-32", "ma_lambda_le_32"},
                                            {"moments", "ma_lambda_le_256"},
                                            {"renyi", "rdp_optimal_order_cks"},
                                            {"strong", "strong_analytic_bestsplit"},
                                            {"basic", "basic_analytic"}}) {
      const double expected = Golden(point, golden);
      EXPECT_NEAR(prices.at(label).upper, expected, 1e-8 * expected)
          << label << " sigma " << point.plan.release.noise_multiplier() << " S "
          << point.batch_size;
    }
    for (const auto& [label, price] : prices) {
      EXPECT_GE(price.upper, Golden(point, "exact")) << label;
      if (label == "pld") {
        EXPECT_LE(price.lower, Golden(point, "exact"));
      }
    }
  }
}

TEST(PaperGridTest, EveryAccountantIsThereAndTheHeadlineIsThePapers) {
  const std::vector<PaperPoint> points = *PaperGrid();
  for (const PaperPoint& point : points) {
    const auto prices = PricesOf(point);
    for (const std::string& name : AccountantNames()) EXPECT_EQ(prices.count(name), 1) << name;
    EXPECT_EQ(point.batch_size * point.plan.count, 400000);
    if (point.plan.release.noise_multiplier() == 1.24 && point.batch_size == 20000) {
      EXPECT_NEAR(prices.at("moments-paper-cap").upper, 2.4411, 5e-5);
    }
  }
}

}  // namespace
}  // namespace topicwall::accountant
