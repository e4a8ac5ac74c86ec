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
  const auto p = PrivateUnigram({.noisy_counts = zipf.noisy, .noise_deviation = 200});
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
  const auto p = PrivateUnigram({.noisy_counts = zipf.noisy, .noise_deviation = deviation});
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
  const auto p = PrivateUnigram({.noisy_counts = zipf.noisy, .noise_deviation = 0});
  ASSERT_OK(p);
  for (size_t v = 0; v < zipf.p.size(); ++v) EXPECT_NEAR((*p)[v] / zipf.p[v], 1, 1e-4);
}

TEST(PrivateUnigramTest, RefusesToReadNoise) {
  const std::vector<float> counts = {5, -3, 8, 2};
  EXPECT_THAT(PrivateUnigram({.noisy_counts = counts, .noise_deviation = 10}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("noise")));
  EXPECT_OK(PrivateUnigram({.noisy_counts = counts, .noise_deviation = 1}));
}

TEST(PrivateUnigramTest, RefusesWhatIsNoCount) {
  EXPECT_THAT(PrivateUnigram({.noisy_counts = {}, .noise_deviation = 1}), StatusIs(kInvalid));
  const std::vector<float> bad = {1, NAN};
  EXPECT_THAT(PrivateUnigram({.noisy_counts = bad, .noise_deviation = 1}), StatusIs(kInvalid));
  const std::vector<float> good = {1, 2};
  for (const double deviation : {-1.0, std::nan(""), double{INFINITY}}) {
    EXPECT_THAT(PrivateUnigram({.noisy_counts = good, .noise_deviation = deviation}),
                StatusIs(kInvalid, HasSubstr("deviations")));
  }
}

}  // namespace
}  // namespace topicwall::lda
