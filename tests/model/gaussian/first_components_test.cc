#include "model/gaussian/first_components.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

namespace topicwall::gaussian {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

const Components kWholeOfAll = {.weights = {1}, .means = {0.3, -0.2}, .variances = {0.04, 0.09}};

// 4,000 draws: their mean and mean square leave ± 0.1 and ± 0.16 deviations of a normal variable
// with probability 3e-10 and 1e-12 (6.3 and 7.1 deviations of the mean).
TEST(FirstComponentsTest, MeansAreDrawnAroundTheWholeWithItsSpread) {
  const Components first = FirstComponents(kWholeOfAll, {.num_components = 4000, .seed = 3});
  ASSERT_EQ(first.means.size(), 8000U);
  for (size_t j = 0; j < 2; ++j) {
    double sum = 0, squares = 0;
    for (size_t k = 0; k < 4000; ++k) {
      const double z =
          (first.means[2 * k + j] - kWholeOfAll.means[j]) / std::sqrt(kWholeOfAll.variances[j]);
      sum += z / 4000;
      squares += z * z / 4000;
    }
    EXPECT_NEAR(sum, 0, 0.1);
    EXPECT_NEAR(squares, 1, 0.16);
  }
}

TEST(FirstComponentsTest, EarlierComponentsComeFirstAndTheWeightsSumToOne) {
  const Components earlier = {
      .weights = {0.4, 0.6}, .means = {0, 1, 2, 3}, .variances = {0.1, 0.2, 0.3, 0.4}};
  const Components first =
      FirstComponents(kWholeOfAll, {.num_components = 4, .seed = 3, .earlier = earlier});
  EXPECT_THAT(first.weights, Pointwise(DoubleNear(1e-12), {0.2, 0.3, 0.25, 0.25}));
  EXPECT_THAT(std::vector<double>(first.means.begin(), first.means.begin() + 4),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(first.variances, ElementsAre(0.1, 0.2, 0.3, 0.4, 0.065, 0.065, 0.065, 0.065));
}

TEST(FirstComponentsTest, MeansGivenAloneHaveTheSpreadOfTheWhole) {
  const Components of_means = {.weights = {1}, .means = {0, 1}, .variances = {INFINITY, INFINITY}};
  const Components first =
      FirstComponents(kWholeOfAll, {.num_components = 1, .seed = 3, .earlier = of_means});
  EXPECT_THAT(first.variances, ElementsAre(0.065, 0.065));
}

TEST(FirstComponentsTest, AnotherSeedDrawsOthers) {
  const auto means = [](uint64_t seed) {
    return FirstComponents(kWholeOfAll, {.num_components = 3, .seed = seed}).means;
  };
  EXPECT_EQ(means(1), means(1));
  EXPECT_NE(means(1), means(2));
}

}  // namespace
}  // namespace topicwall::gaussian
