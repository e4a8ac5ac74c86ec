#include "model/prevalence/simplex.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/model/prevalence/simulated_releases.h"

namespace topicwall::prevalence {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

TEST(NearestSharesTest, ByHand) {
  EXPECT_THAT(NearestShares({0.7, 0.5, -0.2}), Pointwise(DoubleNear(1e-15), {0.6, 0.4, 0.0}));
  EXPECT_THAT(NearestShares({0.2, 0.3, 0.5}), Pointwise(DoubleNear(1e-15), {0.2, 0.3, 0.5}));
  EXPECT_THAT(NearestShares({5, 0, 0}), ElementsAre(1, 0, 0));
  EXPECT_THAT(NearestShares({-3, -3}), ElementsAre(0.5, 0.5));
  EXPECT_THAT(NearestShares({-7}), ElementsAre(1));
}

// The conditions of optimality: p >= 0, Σp = 1, x − p the same number t wherever p > 0, and at most
// t elsewhere. They have one solution.
TEST(NearestSharesTest, NoPointOfTheSimplexIsNearer) {
  Draws draws(1);
  for (int run = 0; run < 1000; ++run) {
    std::vector<double> point(1 + static_cast<size_t>(50 * draws.Uniform()));
    const double spread = std::exp(4 * draws.Normal());
    for (double& x : point) x = spread * draws.Normal();
    const std::vector<double> shares = NearestShares(point);
    ASSERT_EQ(shares.size(), point.size());
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-9 * (1 + spread));
    const auto largest =
        static_cast<size_t>(std::max_element(point.begin(), point.end()) - point.begin());
    const double t = point[largest] - shares[largest];
    for (size_t k = 0; k < point.size(); ++k) {
      EXPECT_GE(shares[k], 0);
      if (shares[k] > 0) {
        EXPECT_NEAR(point[k] - shares[k], t, 1e-9 * (1 + spread));
      } else {
        EXPECT_LE(point[k], t + 1e-9 * (1 + spread));
      }
    }
  }
}

}  // namespace
}  // namespace topicwall::prevalence
