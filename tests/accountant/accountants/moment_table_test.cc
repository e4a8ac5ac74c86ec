// The table's own claims; that its bounds are right is tested in subsampled_gaussian_test.cc, with
// which it shares the function under test.
#include "accountant/accountants/moment_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "accountant/accountants/subsampled_gaussian.h"
#include "tests/accountant/releases.h"

namespace topicwall::accountant {
namespace moment_table_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(MomentTableTest, OneTableAnswersEveryOrderLikeATableOfItsOwn) {
  for (const double sigma : {0.05, 0.3, 0.7, 1.24, 6.3, 100.0}) {
    for (const double nu : {1e-9, 0.01, 0.5, 1.0}) {
      const MomentTable table(Release(nu, sigma), 1024);
      for (double order = 1.001; order < 1e5; order = 1 + (order - 1) * 1.9) {
        EXPECT_EQ(table.LogMomentUpperBound(order), LogMomentUpperBound(Release(nu, sigma), order))
            << nu << " " << sigma << " " << order;
      }
    }
  }
}

TEST(MomentTableTest, TheLargestOrderPreparedForDecidesNothingButSpeed) {
  const SubsampledGaussian release = Release(0.01, 6.3);
  for (const double order : {1.5, 64.0, 777.7}) {
    const double expected = MomentTable(release, 1).LogMomentUpperBound(order);
    for (const double largest : {0.0, 2.0, 64.0, 1e4, 1e12, kInfinity}) {
      EXPECT_EQ(MomentTable(release, largest).LogMomentUpperBound(order), expected);
    }
  }
}

// A node that changes range between two neighbouring orders must not make the bound jump or fall.
TEST(MomentTableTest, NoSeamShowsBetweenTheRanges) {
  for (const double sigma : {0.5, 1.24, 6.3}) {
    for (const double nu : {1e-4, 0.05, 0.6}) {
      const SubsampledGaussian release = Release(nu, sigma);
      const MomentTable table(release, 300);
      for (int order = 2; order <= 256; order += 1 + order / 8) {
        const double exact = LogMomentIntegerOrder(release, order);
        const double below = table.LogMomentUpperBound(order * (1 - 0x1p-40));
        const double above = table.LogMomentUpperBound(order * (1 + 0x1p-40));
        // log A_a grows like a power of a below 300 here: 2^-40 moves it by less than 3e-10.
        EXPECT_NEAR(below, exact, 3e-10 * exact) << nu << " " << sigma << " " << order;
        EXPECT_NEAR(above, exact, 3e-10 * exact) << nu << " " << sigma << " " << order;
        EXPECT_GE(above, below * (1 - 1e-13)) << nu << " " << sigma << " " << order;
      }
    }
  }
}

// Near total sampling 1 + x nearly vanishes on the left, where (1+x)^a − 1 − ax takes its direct
// form; the closed form at ν = 1 is the limit.
TEST(MomentTableTest, NearlyTotalSamplingTendsToTheClosedForm) {
  for (const double sigma : {0.6, 1.24, 6.3}) {
    for (const double order : {1.01, 1.5, 2.0, 7.3, 40.0}) {
      const double closed = order * (order - 1) / 2 / sigma / sigma;
      const double near = LogMomentUpperBound(Release(1 - 1e-13, sigma), order);
      EXPECT_NEAR(near, closed, 1e-10 * closed) << sigma << " " << order;
    }
  }
}

}  // namespace moment_table_test
}  // namespace topicwall::accountant
