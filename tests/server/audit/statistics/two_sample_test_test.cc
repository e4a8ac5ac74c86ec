#include "server/audit/statistics/two_sample_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "server/random/keystream.h"
#include "server/random/secret_key.h"
#include "tests/support/status_matchers.h"

namespace topicwall::audit {
namespace {

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
  for (const int64_t n : {30, 200}) {
    for (const int64_t m : {40, 200}) {
      const double seen = SmallestDistanceSeen(n, m, 1e-7);
      ASSERT_LE(seen, 1);
      // By Massart's constant a distance of sqrt(ln(2/p) (n + m)/(2nm)) is enough, or nearly.
      EXPECT_NEAR(seen,
                  std::sqrt(std::log(2e7) * static_cast<double>(n + m) /
                            (2.0 * static_cast<double>(n * m))),
                  0.06);
    }
  }
  EXPECT_GT(SmallestDistanceSeen(5, 5, 1e-7), 1) << "too few to show anything";
}

// 20,000 pairs of samples of one law: p-values of at most 1 % in at most 1 % of them. Kept to
// 1.8 %, which chance exceeds with probability below 1e-20 (Chernoff); a p-value too small by a
// factor of two would give 2 %.
TEST(TwoSampleTest, FalseAlarmsAreNoMoreThanThePValueSays) {
  auto stream =
      random::Keystream::Create(random::SecretKey(std::array<uint8_t, 32>{'t', 'w', 'o'}), 0);
  ASSERT_OK(stream);
  int alarms = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::array<std::vector<double>, 2> samples;
    for (int j = 0; j < 60; ++j) {
      samples[j % 2].push_back(static_cast<double>(stream->NextBits(30)));
    }
    alarms += CompareSamples(samples[0], samples[1]).p_value <= 0.01 ? 1 : 0;
  }
  EXPECT_LT(alarms, 360);
  EXPECT_GT(alarms, 20) << "nor is it blind";
}

}  // namespace
}  // namespace topicwall::audit
