#include "accountant/accountants/order_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace topicwall::accountant {
namespace order_search_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Found {
  double least;
  int asked;
};

Found Search(absl::FunctionRef<double(double)> f, double left, double middle, double right) {
  int asked = 0;
  const double least = LeastInValley({.left = left,
                                      .middle = middle,
                                      .right = right,
                                      .left_value = f(left),
                                      .middle_value = f(middle),
                                      .right_value = f(right)},
                                     1e-10, [&](double x) {
                                       EXPECT_GT(x, left);
                                       EXPECT_LT(x, right);
                                       ++asked;
                                       return f(x);
                                     });
  return {.least = least, .asked = asked};
}

TEST(OrderSearchTest, AParabolaTakesAFewValues) {
  for (double place = -0.9; place < 0.9; place += 0.1) {
    const Found found =
        Search([place](double x) { return 3 + (x - place) * (x - place); }, -1, place / 2, 1);
    EXPECT_NEAR(found.least, 3, 3e-10) << place;
    EXPECT_LE(found.asked, 6) << place;
  }
}

TEST(OrderSearchTest, AValleyWithOneSteepWallIsFoundAsWell) {
  // The shape of ε over orders of a release seldom sampled: slowly down, then up like e^{cx}.
  for (const double steepness : {10.0, 100.0, 3000.0, 1e5}) {
    for (double place = -0.5; place < 0.5; place += 0.07) {
      const auto f = [=](double x) { return 2 - x + std::exp(steepness * (x - place)); };
      const double bottom = place - std::log(steepness) / steepness;
      const Found found = Search(f, -1, -0.7, 1);
      EXPECT_LE(found.least, f(bottom) * (1 + 1e-9)) << steepness << " " << place;
      EXPECT_LE(found.asked, 70) << steepness << " " << place;
    }
  }
}

TEST(OrderSearchTest, InfiniteWallsAreKeptOut) {
  const auto f = [](double x) { return x < 0.3 ? 1 - x : kInfinity; };
  EXPECT_NEAR(Search(f, -1, 0, 1).least, 0.7, 1e-6);
  const auto g = [](double x) { return x > -0.3 ? 1 + x : kInfinity; };
  EXPECT_NEAR(Search(g, -1, 0, 1).least, 0.7, 1e-6);
}

TEST(OrderSearchTest, AFlatFunctionEndsAtOnce) {
  EXPECT_LE(Search([](double) { return 1.0; }, -1, 0, 1).asked, 3);
}

}  // namespace order_search_test
}  // namespace topicwall::accountant
