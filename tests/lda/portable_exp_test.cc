#include "lda/portable_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace topicwall::lda {
namespace {

TEST(PortableExpTest, FloatIsWithinTwoTenMillionthsOfLibm) {
  for (double y = 0; y > -87.3; y -= 0.00371) {
    const auto rounded = static_cast<float>(y);
    const double expected = std::exp(double{rounded});
    ASSERT_NEAR(PortableExp(rounded) / expected, 1.0, 2e-7) << y;
  }
}

TEST(PortableExpTest, DoubleIsWithinTwoUnitsInTheLastPlaceOfLongDouble) {
  for (double y = 0; y > -708.2; y -= 0.01373) {
    const long double expected = std::exp(static_cast<long double>(y));
    ASSERT_LT(std::fabs(PortableExp(y) / expected - 1), 4e-16L) << y;
  }
}

TEST(PortableExpTest, ZeroGivesExactlyOne) {
  EXPECT_EQ(PortableExp(0.0f), 1.0f);
  EXPECT_EQ(PortableExp(0.0), 1.0);
}

TEST(PortableExpTest, NoResultIsSubnormal) {
  for (float y = -87.0f; y > -104.0f; y -= 0.001f) {
    const float value = PortableExp(y);
    ASSERT_TRUE(value == 0 || value >= std::numeric_limits<float>::min()) << y;
  }
  for (double y = -708.0; y > -746.0; y -= 0.001) {
    const double value = PortableExp(y);
    ASSERT_TRUE(value == 0 || value >= std::numeric_limits<double>::min()) << y;
  }
}

TEST(PortableExpTest, FarBelowIsZeroAndNanStaysNan) {
  for (const float y : {-88.0f, -1e30f, -std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(PortableExp(y), 0.0f);
    EXPECT_EQ(PortableExp(double{y} * 10), 0.0);
  }
  EXPECT_TRUE(std::isnan(PortableExp(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(PortableExp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(PortableExpTest, NeverDecreasesByMoreThanRounding) {
  float previous = 0;
  for (float y = -87.0f; y <= 0; y += 0.0007f) {
    const float value = PortableExp(y);
    ASSERT_GE(value, previous) << y;
    previous = value;
  }
}

}  // namespace
}  // namespace topicwall::lda
