#include "server/audit/statistics/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "server/random/keystream.h"
#include "server/random/secret_key.h"
#include "tests/support/chi_square.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace bounds_test {

const double kX = std::log(1e9);

// P(Binomial(n, p) >= k), summed from the smallest term up.
double BinomialAtLeast(int64_t k, int64_t n, double p) {
  double sum = 0;
  for (int64_t i = n; i >= k; --i) {
    const auto a = static_cast<double>(i);
    const auto b = static_cast<double>(n);
    sum += std::exp(std::lgamma(b + 1) - std::lgamma(a + 1) - std::lgamma(b - a + 1) +
                    a * std::log(p) + (b - a) * std::log1p(-p));
  }
  return sum;
}

TEST(RateIntervalTest, IsBrokenNoOftenerThanItSaysAndNotMuchSeldomer) {
  const int64_t n = 2000;
  for (const int64_t k : {3, 40, 700, 1990}) {
    const Interval interval = RateInterval(k, n, kX);
    // With the rate at the lower end, as many successes are as unlikely as was asked for.
    const double alarm = BinomialAtLeast(k, n, interval.low);
    EXPECT_LE(alarm, 1e-9) << k;
    EXPECT_GE(alarm, 1e-11) << k;
    EXPECT_TRUE(interval.Holds(static_cast<double>(k) / n));
    // Successes and failures are alike.
    EXPECT_NEAR(interval.high, 1 - RateInterval(n - k, n, kX).low, 1e-12);
  }
}

TEST(RateIntervalTest, HoldsTheEndsOnlyIfTheyArePossible) {
  EXPECT_TRUE(RateInterval(0, 10, kX).Holds(0));
  EXPECT_TRUE(RateInterval(10, 10, kX).Holds(1));
  EXPECT_FALSE(RateInterval(1, 10, kX).Holds(0));
  EXPECT_FALSE(RateInterval(9, 10, kX).Holds(1));
  EXPECT_FALSE(RateInterval(5, 10, kX).Holds(std::nan("")));
}

TEST(MeanSquareIntervalTest, IsBrokenNoOftenerThanItSays) {
  for (const int n : {50, 1000, 20000}) {
    const Interval interval = MeanSquareInterval(n, kX);
    const double above = testing::ChiSquareUpperTail(interval.high * n, n);
    EXPECT_LE(above, 1e-9) << n;
    EXPECT_GE(above, 1e-13) << n;
    if (interval.low > 0) {
      EXPECT_LE(1 - testing::ChiSquareUpperTail(interval.low * n, n), 1e-9 + 1e-15) << n;
    }
  }
}

TEST(MeanBoundTest, IsBrokenNoOftenerThanItSays) {
  const double z = MeanBound(400, kX) * 20;
  EXPECT_LE(1 - NormalBelow(z), 1e-9);
  EXPECT_GE(1 - NormalBelow(z), 1e-11);
}

// For many samples a mean of products is nearly normal with variance 1/n; for few its tail is
// heavier than that, and the bound must be too.
TEST(MeanProductBoundTest, NearsTheNormalLawFromAbove) {
  const double normal = std::sqrt(2 * kX);
  EXPECT_NEAR(MeanProductBound(100'000'000, kX) * 1e4 / normal, 1, 1e-3);
  EXPECT_GT(MeanProductBound(100, kX) * 10, 1.05 * normal);
}

TEST(NormalTest, IsTheKnownLaw) {
  EXPECT_NEAR(NormalBelow(1.959963984540054), 0.975, 1e-12);
  EXPECT_NEAR(NormalBelow(-4), 3.167124183311986e-05, 1e-15);
}

TEST(BinomialWithinTest, AddsTheProbabilitiesNearTheMean) {
  EXPECT_NEAR(BinomialWithin(4, 0.5, 0), 6.0 / 16, 1e-12);
  EXPECT_NEAR(BinomialWithin(4, 0.5, 1), 14.0 / 16, 1e-12);
  EXPECT_NEAR(BinomialWithin(512, 0.3, 1000), 1, 1e-9);
}

std::vector<double> From(int first, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(first + i);
  return values;
}

TEST(TwoSampleTest, TheDistanceIsTheLargestGapOfTheDistributionFunctions) {
  EXPECT_EQ(CompareSamples({1, 2, 3}, {1, 2, 3}).distance, 0);
  EXPECT_EQ(CompareSamples({1, 2}, {3, 4}).distance, 1);
  EXPECT_EQ(CompareSamples({3, 4}, {1, 2}).distance, 1) << "either way round";
  EXPECT_DOUBLE_EQ(CompareSamples({1, 4}, {2, 3}).distance, 0.5);
  EXPECT_DOUBLE_EQ(CompareSamples({1, 1, 1, 5}, {1, 5, 5}).distance, 0.75 - 1.0 / 3);
}

// All divisions of seven values into three and four, by counting: the p-value of each is the share
// of them that lie as far apart.
TEST(TwoSampleTest, ThePValueIsTheShareOfDivisionsThatAreAsFarApart) {
  std::array<bool, 7> first = {true, true, true, false, false, false, false};
  std::vector<TwoSampleTest> all;
  std::sort(first.begin(), first.end());
  do {
    std::array<std::vector<double>, 2> samples;
    for (std::size_t i = 0; i < first.size(); ++i) {
      samples[first[i] ? 0 : 1].push_back(static_cast<double>(i));
    }
    all.push_back(CompareSamples(samples[0], samples[1]));
  } while (std::next_permutation(first.begin(), first.end()));
  ASSERT_EQ(all.size(), 35u);
  for (const TwoSampleTest& test : all) {
    const auto as_far = std::count_if(all.begin(), all.end(), [&](const TwoSampleTest& other) {
      return other.distance >= test.distance;
    });
    EXPECT_NEAR(test.p_value, static_cast<double>(as_far) / 35, 1e-8) << test.distance;
  }
}

TEST(TwoSampleTest, SmallProbabilitiesAreExact) {
  // Apart altogether: two of C(60, 30) divisions.
  const double log_divisions = std::lgamma(61) - 2 * std::lgamma(31);
  EXPECT_NEAR(std::log(CompareSamples(From(0, 30), From(100, 30)).p_value),
              std::log(2) - log_divisions, 1e-6);
}

TEST(TwoSampleTest, EqualValuesOnlyRaiseThePValue) {
  const TwoSampleTest apart = CompareSamples(From(0, 20), From(20, 20));
  const TwoSampleTest tied = CompareSamples(std::vector<double>(20, 1), std::vector<double>(20, 1));
  EXPECT_LT(apart.p_value, 1e-10);
  EXPECT_EQ(tied.p_value, 1);
}

TEST(TwoSampleTest, SaysTheSmallestDistanceThatItSees) {
  for (const int64_t n : {35, 200}) {
    const double seen = SmallestDistanceSeen(n, 1e-7);
    ASSERT_LE(seen, 1);
    // By Massart's constant a distance of sqrt(ln(2/p)/n) is enough, or nearly.
    EXPECT_NEAR(seen, std::sqrt(std::log(2e7) / static_cast<double>(n)), 0.06);
  }
  EXPECT_GT(SmallestDistanceSeen(5, 1e-7), 1) << "too few to show anything";
}

// 20,000 pairs of samples of one law: p-values of at most 1 % in at most 1 % of them. Kept to
// 1.8 %, which chance exceeds with probability below 1e-20 (Chernoff); a p-value too small by a
// factor of two would give 2 %.
TEST(TwoSampleTest, FalseAlarmsAreNoMoreThanThePValueSays) {
  ASSERT_OK_AND_ASSIGN(
      auto stream,
      random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{'t', 'w', 'o'}), 0));
  int alarms = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::array<std::vector<double>, 2> samples;
    for (int j = 0; j < 60; ++j) {
      samples[j % 2].push_back(static_cast<double>(stream.NextBits(30)));
    }
    alarms += CompareSamples(samples[0], samples[1]).p_value <= 0.01 ? 1 : 0;
  }
  EXPECT_LT(alarms, 360);
  EXPECT_GT(alarms, 20) << "nor is it blind";
}

}  // namespace bounds_test
}  // namespace topicwall::audit
