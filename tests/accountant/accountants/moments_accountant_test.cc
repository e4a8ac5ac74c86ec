#include "accountant/accountants/moments_accountant.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/accountant/golden_table.h"
#include "tests/accountant/releases.h"
#include "tests/support/status_matchers.h"

namespace topicwall::accountant {
namespace moments_accountant_test {

double Epsilon(const MomentsAccountant::Options& options, const GoldenRow& row) {
  const auto accountant = *MomentsAccountant::Create(options);
  EXPECT_OK(accountant->Compose(row.Event()));
  return accountant->Epsilon(row.delta)->upper;
}

void ExpectTable(const std::string& name, const MomentsAccountant::Options& options) {
  const std::vector<GoldenRow> rows = GoldenRows("accounting_paper_grid.csv", name);
  ASSERT_EQ(rows.size(), 60);
  for (const GoldenRow& row : rows) {
    EXPECT_NEAR(Epsilon(options, row), row.epsilon, 1e-9 * row.epsilon) << row;
  }
}

TEST(MomentsAccountantTest, ReproducesThePaperGridUpToOrder32) {
  ExpectTable("ma_lambda_le_32", {.max_order = 32});
}

TEST(MomentsAccountantTest, ReproducesThePaperGridUpToOrder256) {
  ExpectTable("ma_lambda_le_256", {.max_order = 256});
}

TEST(MomentsAccountantTest, ReproducesThePaperGridUnderThePapersOwnCap) {
  ExpectTable("ma_lambda_le_abadi_lemma3", {.max_order = 256, .paper_cap = true});
}

TEST(MomentsAccountantTest, ThePapersHeadlineIs244OnlyUnderItsCap) {
  const GoldenRow headline = {
      .sigma = 1.24, .nu = 0.05, .steps = 20, .delta = 1e-4, .accountant = "", .epsilon = 0};
  EXPECT_NEAR(Epsilon({.max_order = 256, .paper_cap = true}, headline), 2.4411, 5e-5);
  EXPECT_NEAR(Epsilon({.max_order = 32, .paper_cap = false}, headline), 1.6451, 5e-5);
}

TEST(MomentsAccountantTest, ACapThatLeavesNoOrderLeavesNoGuarantee) {
  const GoldenRow full_batch = {
      .sigma = 2, .nu = 1, .steps = 1, .delta = 1e-4, .accountant = "", .epsilon = 0};
  EXPECT_EQ(Epsilon({.max_order = 256, .paper_cap = true}, full_batch),
            std::numeric_limits<double>::infinity());
}

// 4 for the dear one and 86 for the cheap: above 4 there is no moment of all releases.
TEST(MomentsAccountantTest, TheLeastCapOfAllReleasesHoldsInWhateverOrderTheyCome) {
  const DpEvent dear = {.release = Release(0.05, 1.24), .count = 20};
  const DpEvent cheap = {.release = Release(0.001, 4), .count = 1};
  const auto epsilon = [](const std::vector<DpEvent>& events) {
    const auto accountant = *MomentsAccountant::Create({.max_order = 256, .paper_cap = true});
    for (const DpEvent& event : events) EXPECT_OK(accountant->Compose(event));
    return accountant->Epsilon(1e-4)->upper;
  };
  EXPECT_GT(epsilon({dear, cheap}), epsilon({dear}));
  EXPECT_DOUBLE_EQ(epsilon({dear, cheap}), epsilon({cheap, dear}));
}

TEST(MomentsAccountantTest, FullBatchUsesTheGaussiansClosedForm) {
  const GoldenRow plan = {
      .sigma = 8, .nu = 1, .steps = 10, .delta = 1e-6, .accountant = "", .epsilon = 0};
  double expected = std::numeric_limits<double>::infinity();
  for (int lambda = 1; lambda <= 256; ++lambda) {
    expected = std::min(expected, (10 * lambda * (lambda + 1) / 2.0 / 64 + std::log(1e6)) / lambda);
  }
  EXPECT_NEAR(Epsilon({.max_order = 256, .paper_cap = false}, plan), expected, 1e-12 * expected);
}

}  // namespace moments_accountant_test
}  // namespace topicwall::accountant
