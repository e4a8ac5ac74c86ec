#include "model/lda/topics/step_size.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace topicwall::lda {
namespace {

// Weight of each of the first n releases in the average.
std::vector<double> Weights(double power, int n) {
  std::vector<double> weights;
  for (int t = 1; t <= n; ++t) {
    const double rho = PolynomialStepSize(power, t);
    for (double& weight : weights) weight *= 1 - rho;
    weights.push_back(rho);
  }
  return weights;
}

TEST(StepSizeTest, PowerZeroIsThePlainMean) {
  for (const double weight : Weights(0, 10)) EXPECT_NEAR(weight, 0.1, 1e-15);
}

TEST(StepSizeTest, WeightsSumToOneAndGrowLikeThePower) {
  for (const double power : {1.0, 3.0}) {
    const std::vector<double> weights = Weights(power, 400);
    double sum = 0;
    for (const double weight : weights) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(weights[399] / weights[199], std::pow(2, power), 0.02 * std::pow(2, power));
  }
}

TEST(StepSizeTest, LeavesTheStatedVariance) {
  // The header's limit, (power + 1)²/(2·power + 1)/n; at n = 400 within 2 %.
  for (const double power : {1.0, 3.0, 5.0}) {
    double squares = 0;
    for (const double weight : Weights(power, 400)) squares += weight * weight;
    EXPECT_NEAR(400 * squares / ((power + 1) * (power + 1) / (2 * power + 1)), 1, 0.03);
  }
}

}  // namespace
}  // namespace topicwall::lda
