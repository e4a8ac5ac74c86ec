#include "accountant/accountants/bracketed_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "absl/functional/function_ref.h"

namespace topicwall::accountant {
namespace bracketed_search_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Found {
  BracketedSearch::Trial refused;
  BracketedSearch::Trial fits;
  int asked;
};

Found Search(absl::FunctionRef<double(double)> excess, double refused, double fits,
             double tolerance) {
  BracketedSearch search({.refused = {.at = refused, .excess = excess(refused)},
                          .fits = {.at = fits, .excess = excess(fits)},
                          .tolerance = tolerance});
  int asked = 0;
  while (!search.done() && asked < 1000) {
    const double at = search.Next();
    EXPECT_GT(std::abs(at - search.refused().at), 0);
    EXPECT_GT(std::abs(at - search.fits().at), 0);
    search.Record({.at = at, .excess = excess(at)});
    ++asked;
  }
  return {.refused = search.refused(), .fits = search.fits(), .asked = asked};
}

TEST(BracketedSearchTest, SmoothExcessTakesFewSteps) {
  for (double root = 0.03; root < 1; root += 0.07) {
    const auto excess = [root](double x) { return std::exp(-1.4 * x) - std::exp(-1.4 * root); };
    const Found found = Search(excess, 0, 1, 1e-9);
    EXPECT_LE(found.fits.at - found.refused.at, 1e-9) << root;
    EXPECT_GE(found.fits.at, root - 1e-15) << root;
    EXPECT_LE(found.refused.at, root + 1e-15) << root;
    EXPECT_LE(found.asked, 12) << root;
  }
}

TEST(BracketedSearchTest, AnyExcessTakesAtMostTheStepsOfBisectionAndTwo) {
  // 30 halvings from 1 to 1e-9. Steps, cliffs, infinities and a root that hugs an end.
  for (double root : {1e-8, 0.1, 0.37, 0.5, 0.999999}) {
    const auto step = [root](double x) { return x < root ? 1.0 : -1.0; };
    const auto cliff = [root](double x) { return x < root ? kInfinity : -1e-12; };
    const auto endless = [root](double x) { return x < root ? 1e-300 : -kInfinity; };
    const auto flat = [root](double x) { return -std::pow(x - root, 9); };
    for (const auto& excess :
         {absl::FunctionRef<double(double)>(step), absl::FunctionRef<double(double)>(cliff),
          absl::FunctionRef<double(double)>(endless), absl::FunctionRef<double(double)>(flat)}) {
      const Found found = Search(excess, 0, 1, 1e-9);
      EXPECT_LE(found.asked, 32) << root;
      EXPECT_LE(found.fits.excess, 0) << root;
      EXPECT_GT(found.refused.excess, 0) << root;
    }
  }
}

TEST(BracketedSearchTest, TheFittingEndMayLieOnEitherSide) {
  const auto rising = [](double x) { return x - 0.3; };
  const Found found = Search(rising, 1, 0, 1e-9);
  EXPECT_LE(found.fits.at, 0.3);
  EXPECT_GE(found.refused.at, 0.3);
}

TEST(BracketedSearchTest, NaNCountsAsRefused) {
  const auto excess = [](double x) {
    return x < 0.4 ? std::numeric_limits<double>::quiet_NaN() : -1.0;
  };
  EXPECT_NEAR(Search(excess, 0, 1, 1e-9).fits.at, 0.4, 1e-9);
}

TEST(BracketedSearchTest, YesAndNoAreHalved) {
  int asked = 0;
  const auto fits = [&asked](double x) { return ++asked, x < 0.3 ? 1.0 : -1.0; };
  const double at = CloseIn(
      {.refused = {.at = 0, .excess = 1}, .fits = {.at = 1, .excess = -1}, .tolerance = 0x1p-20},
      fits);
  EXPECT_EQ(at, std::ceil(std::ldexp(0.3, 20)) / (1 << 20));
  EXPECT_EQ(asked, 20);
}

TEST(BracketedSearchTest, AnExcessInLogarithmsIsPositiveExactlyAboveItsTarget) {
  const double above = std::nextafter(0.1, 1);
  EXPECT_GT(LogExcess(above, 0.1), 0) << "a quotient that rounds to 1";
  EXPECT_LE(LogExcess(0.1, 0.1), 0);
  EXPECT_LE(LogExcess(0, 0), 0);
  EXPECT_LE(LogExcess(0, 0.1), 0);
  EXPECT_GT(LogExcess(0.1, 0), 0);
  EXPECT_LE(LogExcess(kInfinity, kInfinity), 0);
  EXPECT_FALSE(LogExcess(std::numeric_limits<double>::quiet_NaN(), 0.1) <= 0);
}

TEST(BracketedSearchTest, NeighbouringDoublesEndTheSearch) {
  const double one = 1;
  const BracketedSearch search({.refused = {.at = one, .excess = 1},
                                .fits = {.at = std::nextafter(one, 2), .excess = -1},
                                .tolerance = 1e-300});
  EXPECT_TRUE(search.done());
}

}  // namespace bracketed_search_test
}  // namespace topicwall::accountant
