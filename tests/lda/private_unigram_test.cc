#include "lda/private_unigram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace {

using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// Σ q ln(q/p): what coding the words of q with p costs, in nats.
double Divergence(const std::vector<double>& q, const std::vector<double>& p) {
  double sum = 0;
  for (size_t v = 0; v < q.size(); ++v) sum += q[v] * std::log(q[v] / p[v]);
  return sum;
}

absl::StatusOr<std::vector<double>> FromCounts(const std::vector<float>& counts, double deviation) {
  return PrivateUnigram({.noisy_counts = counts, .noise_deviation = deviation});
}

struct Zipf {
  static constexpr double kWords = 1e6;
  std::vector<double> p;
  std::vector<float> noisy;

  // Terms of frequency ∝ 1/rank, 10^6 words, and noise of the given deviation.
  explicit Zipf(double deviation, int terms = 5000) {
    for (int v = 0; v < terms; ++v) p.push_back(1.0 / (v + 1));
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    std::mt19937_64 engine(11);
    std::normal_distribution<double> normal;
    for (double& x : p) {
      x /= sum;
      noisy.push_back(static_cast<float>(kWords * x + deviation * normal(engine)));
    }
  }
};

TEST(PrivateUnigramTest, IsADistributionWithoutZeros) {
  const Zipf zipf(200);
  const auto p = FromCounts(zipf.noisy, 200);
  ASSERT_OK(p);
  EXPECT_THAT(*p, Each(Gt(0.0)));
  EXPECT_NEAR(std::accumulate(p->begin(), p->end(), 0.0), 1, 1e-12);
}

// The best that can be said of each count by itself, knowing all the true ones but not whose they
// are: the mean of the true counts, each weighted by how likely it made the noisy one.
std::vector<double> WhoKnowsTheCounts(const Zipf& zipf, double deviation) {
  std::vector<double> p;
  for (const float y : zipf.noisy) {
    double mass = 0, first = 0;
    for (const double q : zipf.p) {
      const double off = (y - Zipf::kWords * q) / deviation;
      const double density = std::exp(-off * off / 2);
      mass += density;
      first += density * q;
    }
    p.push_back(first / mass);
  }
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= sum;
  return p;
}

TEST(PrivateUnigramTest, IsNearlyAsGoodAsOneWhoKnowsTheTrueCounts) {
  // The noise is twice the count of the average term.
  const double deviation = 1000;
  const Zipf zipf(deviation, 2000);
  const auto p = FromCounts(zipf.noisy, deviation);
  ASSERT_OK(p);
  // Clamped counts with one word added to each are what one would do without it.
  std::vector<double> clamped;
  for (const float y : zipf.noisy) clamped.push_back(std::max(y, 0.0F) + 1.0);
  const double sum = std::accumulate(clamped.begin(), clamped.end(), 0.0);
  for (double& x : clamped) x /= sum;
  const double best = Divergence(zipf.p, WhoKnowsTheCounts(zipf, deviation));
  EXPECT_LT(Divergence(zipf.p, *p), 1.05 * best);
  EXPECT_GT(Divergence(zipf.p, clamped), 2 * best);
}

TEST(PrivateUnigramTest, WithoutNoiseIsTheUnigram) {
  const Zipf zipf(0);
  const auto p = FromCounts(zipf.noisy, 0);
  ASSERT_OK(p);
  for (size_t v = 0; v < zipf.p.size(); ++v) EXPECT_NEAR((*p)[v] / zipf.p[v], 1, 1e-4);
}

// The corpus of `zipf` once more, in 30 topics of one size, with a noise of `deviation` in their
// sum.
struct Topics {
  static constexpr int kTopics = 30;
  std::vector<float> values, tau;

  Topics(const Zipf& zipf, double deviation)
      : tau(zipf.p.size(), static_cast<float>(deviation / std::sqrt(double{kTopics}))) {
    std::mt19937_64 engine(5);
    std::normal_distribution<float> normal;
    for (int k = 0; k < kTopics; ++k) {
      for (const double p : zipf.p) {
        values.push_back(static_cast<float>(Zipf::kWords / kTopics * p) + tau[0] * normal(engine));
      }
    }
  }
  NoisyTopics View() const {
    return {.num_topics = kTopics,
            .vocabulary_size = static_cast<int>(tau.size()),
            .values = values,
            .noise_deviations = tau};
  }
};

TEST(RefinedUnigramTest, IsThatOfTheWeightedMeanOfBothReadings) {
  // 900² and 1200² in parallel are 720²; weights 16/25 and 9/25.
  const Zipf zipf(900, 500);
  const Topics topics(zipf, 1200);
  std::vector<float> mean;
  for (size_t v = 0; v < zipf.p.size(); ++v) {
    double column = 0;
    for (size_t k = 0; k < Topics::kTopics; ++k) column += topics.values[k * zipf.p.size() + v];
    mean.push_back(static_cast<float>(0.64 * zipf.noisy[v] + 0.36 * column));
  }
  const auto refined =
      RefinedUnigram({.noisy_counts = zipf.noisy, .noise_deviation = 900}, topics.View());
  const auto expected = FromCounts(mean, 720);
  ASSERT_OK(refined);
  ASSERT_OK(expected);
  // The two sums differ a little in how many words they find in all.
  for (size_t v = 0; v < zipf.p.size(); ++v) EXPECT_NEAR((*refined)[v] / (*expected)[v], 1, 0.05);
}

TEST(RefinedUnigramTest, IsBetterThanThatOfTheCounts) {
  const Zipf zipf(1000, 2000);
  const NoisyCounts counts = {.noisy_counts = zipf.noisy, .noise_deviation = 1000};
  const auto refined = RefinedUnigram(counts, Topics(zipf, 1000).View());
  ASSERT_OK(refined);
  EXPECT_LT(Divergence(zipf.p, *refined), 0.8 * Divergence(zipf.p, *PrivateUnigram(counts)));
}

TEST(RefinedUnigramTest, RefusesOtherVocabulariesAndNoise) {
  const Zipf zipf(10, 100), other(10, 101);
  const NoisyCounts counts = {.noisy_counts = zipf.noisy, .noise_deviation = 10};
  EXPECT_THAT(RefinedUnigram(counts, Topics(other, 10).View()),
              StatusIs(kInvalid, HasSubstr("101")));
  EXPECT_THAT(RefinedUnigram(counts, Topics(zipf, 1e6).View()),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(PrivateUnigramTest, RefusesToReadNoise) {
  const std::vector<float> counts = {5, -3, 8, 2};
  EXPECT_THAT(FromCounts(counts, 10),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("noise")));
  EXPECT_OK(FromCounts(counts, 1));
}

TEST(PrivateUnigramTest, RefusesWhatIsNoCount) {
  EXPECT_THAT(FromCounts({}, 1), StatusIs(kInvalid));
  const std::vector<float> bad = {1, NAN};
  EXPECT_THAT(FromCounts(bad, 1), StatusIs(kInvalid));
  const std::vector<float> good = {1, 2};
  for (const double deviation : {-1.0, std::nan(""), double{INFINITY}}) {
    EXPECT_THAT(FromCounts(good, deviation), StatusIs(kInvalid, HasSubstr("deviations")));
  }
}

}  // namespace
}  // namespace topicwall::lda
