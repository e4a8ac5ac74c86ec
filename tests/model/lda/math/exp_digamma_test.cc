#include "model/lda/math/exp_digamma.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/model/lda/reference_e_step.h"

namespace topicwall::lda {
namespace {

using ::topicwall::lda::testing::ReferenceDigamma;

TEST(ExpDigammaTest, DigammaHasItsKnownValues) {
  // Abramowitz and Stegun 6.3.2, 6.3.3, 6.3.7; the positive zero from OEIS A030169.
  constexpr double kEuler = 0.57721566490153286061;
  constexpr double kPi = 3.14159265358979323846;
  EXPECT_NEAR(Digamma(1), -kEuler, 1e-14);
  EXPECT_NEAR(Digamma(2), 1 - kEuler, 1e-14);
  EXPECT_NEAR(Digamma(0.5), -kEuler - 2 * std::log(2.0), 1e-14);
  EXPECT_NEAR(Digamma(0.25), -kEuler - kPi / 2 - 3 * std::log(2.0), 5e-14);
  EXPECT_NEAR(Digamma(1.4616321449683623413), 0, 1e-14);
  EXPECT_NEAR(Digamma(1e10), std::log(1e10) - 0.5e-10, 1e-13);
}

TEST(ExpDigammaTest, DigammaMatchesItsBernoulliSeries) {
  for (double x = 1e-7; x < 1e13; x *= 1.013) {
    const long double expected = ReferenceDigamma(x);
    ASSERT_LT(std::fabs(Digamma(x) - expected), 1e-14L * std::max(1.0L, std::fabs(expected))) << x;
  }
}

TEST(ExpDigammaTest, QuickDigammaIsFinerThanFloat) {
  for (double x = 1e-7; x < 1e18; x *= 1.013) {
    const long double expected = ReferenceDigamma(x);
    ASSERT_LT(std::fabs(QuickDigamma(x) - expected), 1e-9L * std::max(1.0L, std::fabs(expected)))
        << x;
  }
}

TEST(ExpDigammaTest, ScaledFormReachesFarBelowDouble) {
  for (double x = 1e-6; x < 1e13; x *= 1.017) {
    const ScaledValue value = ScaledExpDigamma(x);
    EXPECT_GE(value.factor, 19.5);
    EXPECT_LE(value.log_scale, 0);
    const long double error =
        std::log(static_cast<long double>(value.factor)) + value.log_scale - ReferenceDigamma(x);
    ASSERT_LT(std::fabs(error), 1e-14L * (1 + 1 / x)) << x;
  }
}

}  // namespace
}  // namespace topicwall::lda
