#include "model/lda/reading/word_intervals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace word_intervals_test {

constexpr int kTopics = 2, kTerms = 400;

// Of a topic: ten words of 2,000, the other topic's ten of 20, and 10 of each of the rest.
double Sum(int topic, int term) {
  if (term / 10 == topic) return 2000;
  return term / 10 < kTopics ? 20 : 10;
}

struct Released {
  std::vector<float> values, deviations;
  std::vector<double> corpus;

  // `factor`: of what is behind the noise.
  Released(uint64_t seed, float tau, double factor = 1) : deviations(kTerms, tau), corpus(kTerms) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    double total = 0;
    for (int k = 0; k < kTopics; ++k) {
      for (int v = 0; v < kTerms; ++v) {
        values.push_back(static_cast<float>(factor * Sum(k, v) + tau * normal(engine)));
        corpus[static_cast<size_t>(v)] += Sum(k, v);
        total += Sum(k, v);
      }
    }
    for (double& p : corpus) p /= total;
  }

  NoisyTopics noisy() const {
    return {.num_topics = kTopics,
            .vocabulary_size = kTerms,
            .values = values,
            .noise_deviations = deviations};
  }
};

constexpr double kMass = 10 * 2000 + 10 * 20 + 380 * 10;

// Where a word is clear its posterior is y ± τ; the mass has a noise of τ√V besides, of which a
// word of share q feels q.
TEST(WordIntervalsTest, AreOfTheReleasedSharesWithTheirOwnNoiseAndTheMasses) {
  const Released released(1, 20);
  const auto intervals = WordIntervals::Create(released.noisy(), released.corpus, 1);
  ASSERT_OK(intervals);
  double mass = 0;
  for (int v = 0; v < kTerms; ++v) mass += released.values[static_cast<size_t>(v)];
  const double q = released.values[3] / mass;
  const double deviation = std::hypot(20, q * 20 * std::sqrt(kTerms)) / mass;
  const WordIntervals::Interval interval = intervals->of(0, 3, q);
  EXPECT_NEAR(interval.low, q - 1.96 * deviation, 0.002 * q);
  EXPECT_NEAR(interval.high, q + 1.96 * deviation, 0.002 * q);
}

// 200 words of own of ten releases, of which 95 % are expected: 8 standard errors, 1.5 % each.
TEST(WordIntervalsTest, CoverWhatIsBehindTheNoise) {
  int covered = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Released released(seed, 60);
    const auto intervals = WordIntervals::Create(released.noisy(), released.corpus, 1);
    ASSERT_OK(intervals);
    for (int v = 0; v < 10 * kTopics; ++v) {
      const double share = Sum(v / 10, v) / kMass;
      const auto interval = intervals->of(v / 10, static_cast<uint32_t>(v), share);
      // Without the model's own share, which is always within.
      const auto narrow =
          intervals->of(v / 10, static_cast<uint32_t>(v), (interval.low + interval.high) / 2);
      if (narrow.low <= share && share <= narrow.high) ++covered;
    }
  }
  EXPECT_GE(covered, 166);
}

TEST(WordIntervalsTest, TheModelsOwnProbabilityIsWithin) {
  const Released released(1, 20);
  const auto intervals = WordIntervals::Create(released.noisy(), released.corpus, 1);
  ASSERT_OK(intervals);
  EXPECT_EQ(intervals->of(0, 3, 0.05).low, 0.05);
  EXPECT_EQ(intervals->of(0, 3, 0.2).high, 0.2);
  EXPECT_GE(intervals->of(0, 399, 0).low, 0);
}

TEST(WordIntervalsTest, OfATopicThatIsNoiseAllIsPossible) {
  const Released released(1, 20, /*factor=*/0);
  const auto intervals = WordIntervals::Create(released.noisy(), released.corpus, 1);
  ASSERT_OK(intervals);
  EXPECT_EQ(intervals->of(0, 3, 0.05).low, 0);
  EXPECT_EQ(intervals->of(0, 3, 0.05).high, 1);
}

}  // namespace word_intervals_test
}  // namespace topicwall::lda
