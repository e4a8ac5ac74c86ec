#include "model/lda/math/simd/exp_digamma_simd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/lda/math/simd/simd_portable.h"
#include "tests/model/lda/reference_e_step.h"

namespace topicwall::lda {
namespace {

using ::topicwall::lda::testing::ReferenceDigamma;

float ExpDigamma(float x) { return ExpDigammaOf<SimdPortable>(SimdPortable::Broadcast(x))[0]; }
float ExpMinus(float s) { return ExpOfMinus<SimdPortable>(SimdPortable::Broadcast(s))[0]; }

TEST(ExpDigammaSimdTest, MatchesTheReferenceWhereverItIsNormal) {
  for (double x = 0.0117; x < 1e16; x *= 1.0013) {
    const auto rounded = static_cast<float>(x);
    const auto expected = static_cast<double>(std::exp(ReferenceDigamma(rounded)));
    ASSERT_NEAR(ExpDigamma(rounded) / expected, 1, 6e-7 * (1 + 1 / x)) << x;
  }
}

TEST(ExpDigammaSimdTest, IsZeroWhereTheValueUnderflowsAndNeverSubnormal) {
  for (const float x : {0.0110f, 1e-3f, 1e-6f, 1e-12f}) EXPECT_EQ(ExpDigamma(x), 0.0f) << x;
  for (float x = 0.0105f; x < 0.0125f; x += 1e-6f) {
    const float value = ExpDigamma(x);
    ASSERT_TRUE(value == 0 || value >= std::numeric_limits<float>::min()) << x;
  }
}

TEST(ExpDigammaSimdTest, NotANumberStaysOne) { EXPECT_TRUE(std::isnan(ExpDigamma(std::nanf("")))); }

TEST(ExpDigammaSimdTest, ExponentialIsWithinTwoTenMillionthsOfLibm) {
  for (double s = 0; s < 87.3; s += 0.00371) {
    const auto rounded = static_cast<float>(s);
    ASSERT_NEAR(ExpMinus(rounded) / std::exp(-double{rounded}), 1.0, 2e-7) << s;
  }
  EXPECT_EQ(ExpMinus(0), 1.0f);
  for (const float s : {87.34f, 1e3f, 1e30f, std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(ExpMinus(s), 0.0f) << s;
  }
}

TEST(ExpDigammaSimdTest, LanesDoNotMix) {
  const auto together = ExpDigammaOf<SimdPortable>(SimdPortable::Floats{0.02f, 1, 30, 1e9f});
  EXPECT_EQ(together[0], ExpDigamma(0.02f));
  EXPECT_EQ(together[1], ExpDigamma(1));
  EXPECT_EQ(together[2], ExpDigamma(30));
  EXPECT_EQ(together[3], ExpDigamma(1e9f));
}

}  // namespace
}  // namespace topicwall::lda
