#include "accountant/accountants/bulk_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace topicwall::accountant {
namespace {

TEST(BulkExpTest, EveryValueIsWithinOneUnitInTheLastPlace) {
  // 200,000 points; the step is no multiple of ln 2, so that reductions of every size occur.
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  for (double x = -708; x <= 709; x += 0.00708333) {
    const long double exact = std::exp(static_cast<long double>(x));
    const double error = static_cast<double>(std::abs(BranchFreeExp(x) / exact - 1));
    ASSERT_LE(error, kUnit) << x;
  }
  EXPECT_EQ(BranchFreeExp(0), 1);
}

TEST(BulkExpTest, UnderflowIsATinyPositiveNumber) {
  for (const double x : {-709.0, -1e4, -1e300, -std::numeric_limits<double>::infinity()}) {
    EXPECT_GT(BranchFreeExp(x), 0) << x;
    EXPECT_LT(BranchFreeExp(x), 4e-308) << x;
  }
}

TEST(BulkExpTest, RowsOfAnyLengthAreTheSameBitsAsSingleValues) {
  for (const size_t size : {0u, 1u, 2u, 3u, 63u, 64u, 65u}) {
    std::vector<double> row(size);
    for (size_t i = 0; i < size; ++i) row[i] = 0.731 * static_cast<double>(i) - 20;
    std::vector<double> expected = row;
    for (double& value : expected) value = BranchFreeExp(value);
    BulkExp(absl::MakeSpan(row));
    EXPECT_EQ(row, expected) << size;
  }
}

}  // namespace
}  // namespace topicwall::accountant
