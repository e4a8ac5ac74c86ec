#include "model/lda/reading/word_intervals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace word_intervals_test {

constexpr int kTopics = 2, kTerms = 400;

// Of the first topic: ten words of 2,000, the other topic's ten of 20, and 10 of each of the rest.
// The second is a third of that.
constexpr double kMasses[kTopics] = {24'000, 8'000};

double Sum(int topic, int term) {
  const double scale = kMasses[topic] / kMasses[0];
  if (term / 10 == topic) return scale * 2000;
  return scale * (term / 10 < kTopics ? 20 : 10);
}

struct Released {
  std::vector<float> values, deviations, mass_deviations;
  std::vector<double> corpus;

  // `along`: by which share of its mass each topic is off as a whole.
  Released(uint64_t seed, float tau, const std::vector<double>& along = {})
      : deviations(kTerms, tau), corpus(kTerms) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    double total = 0;
    for (int k = 0; k < kTopics; ++k) {
      const double factor = along.empty() ? 1 : 1 + along[static_cast<size_t>(k)];
      for (int v = 0; v < kTerms; ++v) {
        values.push_back(static_cast<float>(factor * Sum(k, v) + tau * normal(engine)));
        corpus[static_cast<size_t>(v)] += Sum(k, v);
        total += Sum(k, v);
      }
    }
    for (double& p : corpus) p /= total;
    for (const double share : along) {
      mass_deviations.push_back(static_cast<float>(std::abs(share) * kMasses[0]));
    }
  }

  NoisyTopics noisy() const {
    return {.num_topics = kTopics,
            .vocabulary_size = kTerms,
            .values = values,
            .noise_deviations = deviations,
            .mass_deviations = mass_deviations};
  }
};

// Where a word is clear its posterior is y ± τ; the mass has a noise of τ√V besides, of which a
// word of share q feels q.
void ExpectTheReleasedShares(const Released& released, double tau) {
  ASSERT_OK_AND_ASSIGN(const auto intervals,
                       WordIntervals::Create(released.noisy(), released.corpus, {}, 1));
  for (int k = 0; k < kTopics; ++k) {
    const float* const row = released.values.data() + k * kTerms;
    const double mass = std::accumulate(row, row + kTerms, 0.0);
    const int term = 10 * k + 3;
    const double q = row[term] / mass;
    const double deviation = std::hypot(tau, q * tau * std::sqrt(kTerms)) / mass;
    const WordIntervals::Interval interval = intervals.of(k, static_cast<uint32_t>(term), q);
    EXPECT_NEAR(interval.low, q - 1.96 * deviation, 0.002 * q) << k;
    EXPECT_NEAR(interval.high, q + 1.96 * deviation, 0.002 * q) << k;
  }
}

TEST(WordIntervalsTest, AreOfTheReleasedSharesWithTheirOwnNoiseAndTheMasses) {
  ExpectTheReleasedShares(Released(1, 20), 20);
}

// A topic that is larger or smaller as a whole has the same shares, and knows them as well.
TEST(WordIntervalsTest, NoiseAlongATopicCancels) {
  ExpectTheReleasedShares(Released(1, 20, {0.3, -0.2}), 20);
}

// Of 1,000 topics of ten words each, of which 95 % are expected. A topic's words share the noise of
// its mass, three quarters of the variance of each: were all ten covered together or not at all, a
// standard error were 0.7 %. Intervals of half the width would cover 67 %, of twice 99.99 %.
TEST(WordIntervalsTest, CoverWhatIsBehindTheNoiseAndHardlyMore) {
  int covered = 0;
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    const Released released(seed, 60);
    ASSERT_OK_AND_ASSIGN(const auto intervals,
                         WordIntervals::Create(released.noisy(), released.corpus, {}, 1));
    for (int v = 0; v < 10 * kTopics; ++v) {
      const double share = Sum(v / 10, v) / kMasses[v / 10];
      const auto interval = intervals.of(v / 10, static_cast<uint32_t>(v), share);
      // Without the model's own share, which is always within.
      const auto narrow =
          intervals.of(v / 10, static_cast<uint32_t>(v), (interval.low + interval.high) / 2);
      if (narrow.low <= share && share <= narrow.high) ++covered;
    }
  }
  EXPECT_GE(covered, 9'200);
  EXPECT_LE(covered, 9'800);
}

TEST(WordIntervalsTest, TheModelsOwnProbabilityIsWithin) {
  const Released released(1, 20);
  ASSERT_OK_AND_ASSIGN(const auto intervals,
                       WordIntervals::Create(released.noisy(), released.corpus, {}, 1));
  EXPECT_EQ(intervals.of(0, 3, 0.05).low, 0.05);
  EXPECT_EQ(intervals.of(0, 3, 0.2).high, 0.2);
  EXPECT_GE(intervals.of(0, 399, 0).low, 0);
}

// One topic of twice its mass's deviation, and one of four times it.
TEST(WordIntervalsTest, OfATopicThatIsNoiseAllIsPossible) {
  Released released(1, 20);
  const double deviation = 20 * std::sqrt(kTerms);
  for (int i = 0; i < kTopics * kTerms; ++i) {
    const double mass = (i < kTerms ? 2 : 4) * deviation;
    released.values[static_cast<size_t>(i)] = static_cast<float>(mass / kTerms);
  }
  ASSERT_OK_AND_ASSIGN(const auto intervals,
                       WordIntervals::Create(released.noisy(), released.corpus, {}, 1));
  EXPECT_EQ(intervals.of(0, 3, 0.05).low, 0);
  EXPECT_EQ(intervals.of(0, 3, 0.05).high, 1);
  EXPECT_LT(intervals.of(1, 3, 0.05).high, 0.1);
}

}  // namespace word_intervals_test
}  // namespace topicwall::lda
