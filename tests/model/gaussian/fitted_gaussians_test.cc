#include "model/gaussian/fitted_gaussians.h"

#include <gmock/gmock.h>

#include <vector>

namespace topicwall::gaussian {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

const Components kTwoFitted = {
    .weights = {0.25, 0.75}, .means = {0, 0.5, 1, -0.5}, .variances = {0.04, 0.09, 0.01, 0.25}};

// By hand, from the density of a normal distribution: log(0.25·N(.1; 0, .2)N(.4; .5, .3) +
// 0.75·N(.1; 1, .1)N(.4; −.5, .5)), and the same at (0.8, 0).
TEST(FittedGaussiansTest, ADensityIsThatOfTheSumOfItsComponents) {
  const FittedGaussians fitted(kTwoFitted);
  EXPECT_NEAR(fitted.LogDensity(std::vector<float>{.1F, .4F}), -0.59131627, 1e-6);
  EXPECT_NEAR(fitted.LogDensity(std::vector<float>{.8F, 0}), -1.62954384, 1e-6);
  const Assignment first = fitted.Assign(std::vector<float>{.1F, .4F});
  EXPECT_EQ(first.component, 0U);
  EXPECT_NEAR(first.probability, 1.00000000, 1e-6);
  const Assignment second = fitted.Assign(std::vector<float>{.8F, 0});
  EXPECT_EQ(second.component, 1U);
  EXPECT_NEAR(second.probability, 0.99971701, 1e-6);
}

// Mean 0.75·1 and 0.25·0.5 − 0.75·0.5; variances within, and between: 0.25·0.75·1² of both.
TEST(FittedGaussiansTest, TheWholeHasMeanAndVariancesOfAll) {
  const Components whole = WholeOf(kTwoFitted);
  EXPECT_THAT(whole.means, Pointwise(DoubleNear(1e-12), {0.75, -0.25}));
  EXPECT_THAT(whole.variances, Pointwise(DoubleNear(1e-12), {0.205, 0.3975}));
}

}  // namespace
}  // namespace topicwall::gaussian
