#include "model/gaussian/merged_components.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace topicwall::gaussian {
namespace merged_components_test {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

TEST(MergedToTest, TwoThatSayTheSameBecomeOneAndTheOthersStayAsTheyAre) {
  const Components merged = MergedTo({.weights = {0.2, 0.5, 0.3},
                                      .means = {1, 0, -1, 0, 1.01, 0.02},
                                      .variances = {0.1, 0.1, 0.2, 0.3, 0.1, 0.1}},
                                     2);
  EXPECT_THAT(merged.weights, Pointwise(DoubleNear(1e-12), std::vector<double>{0.5, 0.5}));
  EXPECT_THAT(merged.means, Pointwise(DoubleNear(1e-12), std::vector<double>{1.006, 0.012, -1, 0}));
  // Σ π (v + m²) / Σ π less the mean's square: of the first 0.2 and 0.3 parts.
  EXPECT_THAT(merged.variances,
              Pointwise(DoubleNear(1e-12),
                        std::vector<double>{0.1 + 0.24 * 1e-4, 0.1 + 0.24 * 4e-4, 0.2, 0.3}));
}

// Whatever is merged, the mean and the variances of the whole are those that they were.
TEST(MergedToTest, KeepsTheMomentsOfTheWhole) {
  Components many;
  for (int k = 0; k < 12; ++k) {
    many.weights.push_back((1 + k % 5) / 34.0);
    many.means.push_back(std::sin(k));
    many.variances.push_back(0.1 + 0.02 * (k % 7));
  }
  const auto moments = [](const Components& all) {
    std::vector<double> sums(3);
    for (size_t k = 0; k < all.weights.size(); ++k) {
      sums[0] += all.weights[k];
      sums[1] += all.weights[k] * all.means[k];
      sums[2] += all.weights[k] * (all.variances[k] + all.means[k] * all.means[k]);
    }
    return sums;
  };
  for (const size_t fewer : {size_t{1}, size_t{2}, size_t{5}, size_t{11}}) {
    const Components merged = MergedTo(many, fewer);
    EXPECT_EQ(merged.weights.size(), fewer);
    EXPECT_THAT(moments(merged), Pointwise(DoubleNear(1e-12), moments(many)));
  }
}

TEST(MergedToTest, NoMoreThanAskedForAreLeftAlone) {
  const Components merged = MergedTo({.weights = {1}, .means = {3, 4}, .variances = {1, 2}}, 2);
  EXPECT_THAT(merged.means, ElementsAre(3, 4));
}

// A small one beside a large one is cheaper to merge than two large ones as far apart.
TEST(MergedToTest, TheSmallestAreMergedFirst) {
  const Components merged = MergedTo({.weights = {0.45, 0.45, 0.05, 0.05},
                                      .means = {0, 1, 5, 6},
                                      .variances = {0.1, 0.1, 0.1, 0.1}},
                                     3);
  EXPECT_THAT(merged.weights, Pointwise(DoubleNear(1e-12), std::vector<double>{0.45, 0.45, 0.1}));
}

// Of every pair anew: Σ_d ½(w log v − w_i log v_i − w_j log v_j).
std::pair<size_t, size_t> CheapestPair(const Components& all) {
  std::pair<size_t, size_t> cheapest;
  double least = INFINITY;
  for (size_t j = 1; j < all.weights.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      const double wi = all.weights[i], wj = all.weights[j], w = wi + wj;
      double cost = 0;
      for (const size_t d : {0, 1}) {
        const double vi = all.variances[2 * i + d], vj = all.variances[2 * j + d];
        const double apart = all.means[2 * i + d] - all.means[2 * j + d];
        const double v = (wi * vi + wj * vj) / w + wi * wj / (w * w) * apart * apart;
        cost += (w * std::log(v) - wi * std::log(vi) - wj * std::log(vj)) / 2;
      }
      if (cost < least) {
        least = cost;
        cheapest = {i, j};
      }
    }
  }
  return cheapest;
}

// What is merged is the cheapest pair of those there are then, earlier merges among them.
TEST(MergedToTest, EveryMergeIsThatOfTheCheapestPair) {
  Components all;
  for (int k = 0; k < 14; ++k) {
    all.weights.push_back((1 + k * k % 11) / 70.0);
    for (const int d : {0, 1}) {
      all.means.push_back(std::sin(3 * k + d));
      all.variances.push_back(0.05 + 0.03 * ((5 * k + d) % 7));
    }
  }
  const Components many = all;
  while (all.weights.size() > 1) {
    const auto [first, second] = CheapestPair(all);
    std::vector<double> weights = all.weights;
    weights[first] += weights[second];
    weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(second));
    all = MergedTo(all, weights.size());
    EXPECT_THAT(all.weights, Pointwise(DoubleNear(1e-12), weights));
    const Components at_once = MergedTo(many, weights.size());
    EXPECT_THAT(at_once.means, Pointwise(DoubleNear(1e-12), all.means));
    EXPECT_THAT(at_once.variances, Pointwise(DoubleNear(1e-12), all.variances));
  }
}

}  // namespace merged_components_test
}  // namespace topicwall::gaussian
