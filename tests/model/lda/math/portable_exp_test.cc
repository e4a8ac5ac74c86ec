#include "model/lda/math/portable_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace topicwall::lda {
namespace {

TEST(PortableExpTest, DoubleIsWithinTwoUnitsInTheLastPlaceOfLongDouble) {
  for (double y = 0; y > -708.2; y -= 0.01373) {
    const long double expected = std::exp(static_cast<long double>(y));
    ASSERT_LT(std::fabs(PortableExp(y) / expected - 1), 4e-16L) << y;
  }
}

TEST(PortableExpTest, ZeroGivesExactlyOne) { EXPECT_EQ(PortableExp(0.0), 1.0); }

TEST(PortableExpTest, NoResultIsSubnormal) {
  for (double y = -708.0; y > -746.0; y -= 0.001) {
    const double value = PortableExp(y);
    ASSERT_TRUE(value == 0 || value >= std::numeric_limits<double>::min()) << y;
  }
}

TEST(PortableExpTest, FarBelowIsZeroAndNanStaysNan) {
  for (const double y : {-709.0, -1e300, -std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(PortableExp(y), 0.0);
  }
  EXPECT_TRUE(std::isnan(PortableExp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(PortableExpTest, NeverDecreasesByMoreThanRounding) {
  double previous = 0;
  for (double y = -708.0; y <= 0; y += 0.0071) {
    const double value = PortableExp(y);
    ASSERT_GE(value, previous) << y;
    previous = value;
  }
}

}  // namespace
}  // namespace topicwall::lda
