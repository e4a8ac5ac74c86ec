// What is told of sums is tested with the acts that tell it: custodian_acts_test.cc.
#include "server/ledger/budget_sums.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/server/ledger/bare_ledger.h"

namespace topicwall::ledger {
namespace {

using testing::StatusIs;

TEST(BudgetSumsTest, ASumIsNeverRoundedDown) {
  EXPECT_EQ(SumRoundedUp(1, 2), 3);
  EXPECT_EQ(SumRoundedUp(2.44, 0), 2.44);
  // The exact sum lies above the nearest double of each of these, or is it.
  const std::vector<double> numbers = {1e-6, 0.1, 0.2, 0.3, 1.0 / 3, 2.44, 0.7, 1e-300, 5, 1e6};
  for (const double a : numbers) {
    for (const double b : numbers) {
      const auto exact = static_cast<long double>(a) + b;  // 64 bits: one rounding less
      EXPECT_GE(static_cast<long double>(SumRoundedUp(a, b)), exact) << a << " + " << b;
      EXPECT_LE(SumRoundedUp(a, b), std::nextafter(a + b, 1e300)) << a << " + " << b;
    }
  }
}

TEST(BudgetSumsTest, AnUnknownBudgetHasNoSum) {
  BareLedger bare;
  EXPECT_THAT(SumOf(bare.connection(), "nobody"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(TellSums(bare.connection(), "nobody", 1), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace topicwall::ledger
