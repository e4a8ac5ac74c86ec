// Pearson's χ² test for statistical tests.
//
//   double p = ChiSquarePValue(counts, probabilities);
//   EXPECT_GT(p, 1e-9);   // a correct sampler fails here once in 10^9 runs
#ifndef TOPICWALL_TESTS_SUPPORT_CHI_SQUARE_H_
#define TOPICWALL_TESTS_SUPPORT_CHI_SQUARE_H_

#include <cstdint>
#include <vector>

namespace topicwall::testing {

// P(χ²_df >= statistic), within 1e-10 relative. df >= 1.
double ChiSquareUpperTail(double statistic, int degrees_of_freedom);

// P-value of independent counts in cells of the given probabilities (which sum to 1). Cells
// with an expectation below 100 are pooled, so that the χ² approximation holds far into the
// tail. 0 if an impossible cell was hit; -1, which no test passes, if fewer than two cells
// are left.
double ChiSquarePValue(const std::vector<int64_t>& counts,
                       const std::vector<double>& probabilities);

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_CHI_SQUARE_H_
