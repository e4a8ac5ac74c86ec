#include "lda/exp_digamma.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/lda/reference_e_step.h"

namespace topicwall::lda {
namespace {

using ::topicwall::lda::testing::ReferenceDigamma;

float ExpDigammaOf(float x) {
  float value = 0;
  ExpDigamma(absl::MakeConstSpan(&x, 1), absl::MakeSpan(&value, 1));
  return value;
}

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

TEST(ExpDigammaTest, FloatMatchesTheReferenceWhereverItIsNormal) {
  for (double x = 0.0117; x < 1e14; x *= 1.0017) {
    const auto rounded = static_cast<float>(x);
    const auto expected = static_cast<double>(std::exp(ReferenceDigamma(rounded)));
    ASSERT_NEAR(ExpDigammaOf(rounded) / expected, 1, 4e-7 * (1 + 1 / x)) << x;
  }
}

TEST(ExpDigammaTest, FloatIsZeroWhereTheValueUnderflows) {
  for (const float x : {0.0110f, 1e-3f, 1e-6f, 1e-30f}) EXPECT_EQ(ExpDigammaOf(x), 0.0f) << x;
}

TEST(ExpDigammaTest, EachEntryOfASpanIsComputedByItself) {
  // 37 entries: vector lanes and their remainder must agree bit for bit.
  std::vector<float> inputs, outputs(37);
  for (int i = 0; i < 37; ++i) inputs.push_back(0.02f * static_cast<float>(1 + i * i * i));
  ExpDigamma(inputs, absl::MakeSpan(outputs));
  for (size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(outputs[i], ExpDigammaOf(inputs[i])) << i;
  ExpDigamma(inputs, absl::MakeSpan(inputs));
  EXPECT_EQ(inputs, outputs) << "in place";
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
