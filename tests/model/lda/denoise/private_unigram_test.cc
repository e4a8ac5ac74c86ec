#include "model/lda/denoise/private_unigram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace private_unigram_test {

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

// Of so many readings of the same terms.
absl::StatusOr<std::vector<double>> From(const std::vector<NoisyCounts>& readings) {
  const auto terms = static_cast<int>(readings[0].noisy_counts.size());
  absl::StatusOr<PrivateUnigram> unigram = PrivateUnigram::Create(terms, {});
  if (!unigram.ok()) return unigram.status();
  for (const NoisyCounts& reading : readings) {
    if (absl::Status status = unigram->Add(reading); !status.ok()) return status;
  }
  return unigram->Probabilities();
}

absl::StatusOr<std::vector<double>> FromCounts(const std::vector<float>& counts, double deviation) {
  return From({{.noisy_counts = counts, .noise_deviation = deviation}});
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
  ASSERT_OK_AND_ASSIGN(const auto p, FromCounts(zipf.noisy, 200));
  EXPECT_THAT(p, Each(Gt(0.0)));
  EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-12);
}

// Terms that are as frequent as the one before or behind them; the noise is what half of them have.
TEST(PrivateUnigramTest, FormsOfAWordTellHowFrequentItIs) {
  Zipf zipf(60);
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  RelatedTerms related;
  for (size_t v = 0; v + 1 < zipf.p.size(); v += 2) {
    zipf.p[v] = zipf.p[v + 1] = (zipf.p[v] + zipf.p[v + 1]) / 2;
    for (const size_t of : {v, v + 1}) {
      zipf.noisy[of] = static_cast<float>(Zipf::kWords * zipf.p[of] + 60 * normal(engine));
    }
    related.push_back({static_cast<uint32_t>(v), static_cast<uint32_t>(v + 1), 2});
  }
  const auto terms = static_cast<int>(zipf.p.size());
  ASSERT_OK_AND_ASSIGN(PrivateUnigram unigram, PrivateUnigram::Create(terms, {}));
  ASSERT_OK(unigram.Add({.noisy_counts = zipf.noisy, .noise_deviation = 60}));
  ASSERT_OK_AND_ASSIGN(const auto alone, unigram.Probabilities());
  ASSERT_OK_AND_ASSIGN(const auto together, unigram.Probabilities(related));
  // Ratios an octave apart tell sizes coarsely: some 6 % of what noise costs come back.
  EXPECT_LT(Divergence(zipf.p, together), 0.96 * Divergence(zipf.p, alone));
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
  ASSERT_OK_AND_ASSIGN(const auto p, FromCounts(zipf.noisy, deviation));
  // Clamped counts with one word added to each are what one would do without it.
  std::vector<double> clamped;
  for (const float y : zipf.noisy) clamped.push_back(std::max(y, 0.0F) + 1.0);
  const double sum = std::accumulate(clamped.begin(), clamped.end(), 0.0);
  for (double& x : clamped) x /= sum;
  const double best = Divergence(zipf.p, WhoKnowsTheCounts(zipf, deviation));
  EXPECT_LT(Divergence(zipf.p, p), 1.05 * best);
  EXPECT_GT(Divergence(zipf.p, clamped), 2 * best);
}

TEST(PrivateUnigramTest, WithoutNoiseIsTheUnigram) {
  const Zipf zipf(0);
  ASSERT_OK_AND_ASSIGN(const auto p, FromCounts(zipf.noisy, 0));
  for (size_t v = 0; v < zipf.p.size(); ++v) EXPECT_NEAR(p[v] / zipf.p[v], 1, 1e-4);
}

// The counts of `zipf` once more, of a clip that left `share` of the words, with a noise of
// `deviation`/w_v.
std::vector<float> Again(const Zipf& zipf, double share, double deviation,
                         const std::vector<float>& weights = {}) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  std::vector<float> counts;
  for (size_t v = 0; v < zipf.p.size(); ++v) {
    const double noise = deviation / (weights.empty() ? 1.0 : double{weights[v]});
    counts.push_back(static_cast<float>(share * Zipf::kWords * zipf.p[v] + noise * normal(engine)));
  }
  return counts;
}

TEST(PrivateUnigramTest, OfTwoReadingsIsThatOfTheirWeightedMean) {
  // 900² and 1200² in parallel are 720²; weights 16/25 and 9/25.
  const Zipf zipf(900, 500);
  const std::vector<float> again = Again(zipf, 1, 1200);
  std::vector<float> mean;
  for (size_t v = 0; v < zipf.p.size(); ++v) {
    mean.push_back(static_cast<float>(0.64 * zipf.noisy[v] + 0.36 * again[v]));
  }
  ASSERT_OK_AND_ASSIGN(const auto both, From({{.noisy_counts = zipf.noisy, .noise_deviation = 900},
                                              {.noisy_counts = again, .noise_deviation = 1200}}));
  ASSERT_OK_AND_ASSIGN(const auto expected, FromCounts(mean, 720));
  // The two sums differ a little in how many words they find in all.
  for (size_t v = 0; v < zipf.p.size(); ++v) EXPECT_NEAR(both[v] / expected[v], 1, 0.05);
}

// A small clip norm has little noise and few words. Catches weights by the noise alone, which would
// have the second reading count for six times the first, and not for a sixteenth of it.
TEST(PrivateUnigramTest, AReadingCountsForWhatItSawAndNotForHowSmallItsNoiseIs) {
  const Zipf zipf(1000, 2000);
  const NoisyCounts first = {.noisy_counts = zipf.noisy, .noise_deviation = 1000};
  const std::vector<float> few = Again(zipf, 0.1, 400);
  ASSERT_OK_AND_ASSIGN(const auto both,
                       From({first, {.noisy_counts = few, .noise_deviation = 400}}));
  ASSERT_OK_AND_ASSIGN(const auto alone, From({first}));
  EXPECT_LT(Divergence(zipf.p, both), Divergence(zipf.p, alone));
}

TEST(PrivateUnigramTest, GetsBetterWithAnotherReading) {
  const Zipf zipf(1000, 2000);
  const NoisyCounts first = {.noisy_counts = zipf.noisy, .noise_deviation = 1000};
  const std::vector<float> again = Again(zipf, 1, 1000);
  ASSERT_OK_AND_ASSIGN(const auto alone, From({first}));
  ASSERT_OK_AND_ASSIGN(const auto both,
                       From({first, {.noisy_counts = again, .noise_deviation = 1000}}));
  EXPECT_LT(Divergence(zipf.p, both), 0.8 * Divergence(zipf.p, alone));
}

// Terms of weight 1/4 have four times the noise: where they are read worse, the other reading
// counts.
TEST(PrivateUnigramTest, ATermsNoiseIsThatOfItsWeight) {
  const Zipf zipf(100, 400);
  const NoisyCounts first = {.noisy_counts = zipf.noisy, .noise_deviation = 100};
  std::vector<float> weights(400, 1.0F);
  for (size_t v = 0; v < 200; ++v) weights[v] = 0.25F;
  const std::vector<float> again = Again(zipf, 1, 50, weights);
  ASSERT_OK_AND_ASSIGN(auto unigram, PrivateUnigram::Create(400, {}));
  ASSERT_OK(unigram.Add(first));
  const PrivateUnigramState before = unigram.state();
  ASSERT_OK(unigram.Add({.noisy_counts = again, .noise_deviation = 50, .term_weights = weights}));
  const auto more = [&](size_t v) { return unigram.state().precisions[v] / before.precisions[v]; };
  EXPECT_NEAR(more(0), 1 + 1.0 / 4, 0.02);  // 200 words instead of 100
  EXPECT_NEAR(more(399), 1 + 4, 0.02 * 4);  // 50 words
}

TEST(PrivateUnigramTest, GoesOnFromItsStateWithTheSameBits) {
  const Zipf zipf(100, 300);
  const NoisyCounts reading = {.noisy_counts = zipf.noisy, .noise_deviation = 100};
  ASSERT_OK_AND_ASSIGN(auto whole, PrivateUnigram::Create(300, {}));
  ASSERT_OK(whole.Add(reading));
  ASSERT_OK_AND_ASSIGN(auto resumed, PrivateUnigram::Create(300, whole.state()));
  ASSERT_OK(whole.Add(reading));
  ASSERT_OK(resumed.Add(reading));
  EXPECT_EQ(*resumed.Probabilities(), *whole.Probabilities());
}

TEST(PrivateUnigramTest, AReadingThatIsRefusedChangesNothing) {
  const Zipf zipf(10, 100), other(10, 101);
  const std::vector<float> weights(99, 1.0F), zero(100, 0.0F);
  ASSERT_OK_AND_ASSIGN(auto unigram, PrivateUnigram::Create(100, {}));
  ASSERT_OK(unigram.Add({.noisy_counts = zipf.noisy, .noise_deviation = 10}));
  const PrivateUnigramState before = unigram.state();
  EXPECT_THAT(unigram.Add({.noisy_counts = other.noisy, .noise_deviation = 10}),
              StatusIs(kInvalid, HasSubstr("101")));
  for (const std::vector<float>& bad : {weights, zero}) {
    EXPECT_THAT(
        unigram.Add({.noisy_counts = zipf.noisy, .noise_deviation = 10, .term_weights = bad}),
        StatusIs(kInvalid, HasSubstr("term_weights")));
  }
  EXPECT_THAT(unigram.Add({.noisy_counts = zipf.noisy, .noise_deviation = 1e6}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(unigram.state().sums, before.sums);
  EXPECT_EQ(unigram.state().precisions, before.precisions);
}

TEST(PrivateUnigramTest, RefusesAStateThatIsNone) {
  const auto create = [](PrivateUnigramState state) {
    return PrivateUnigram::Create(2, std::move(state)).status();
  };
  EXPECT_OK(create({.sums = {1, -2}, .precisions = {3, 4}}));
  EXPECT_THAT(create({.sums = {1}, .precisions = {3}}), StatusIs(kInvalid));
  EXPECT_THAT(create({.sums = {1, 2}, .precisions = {3}}), StatusIs(kInvalid));
  EXPECT_THAT(create({.sums = {}, .precisions = {3, 4}}), StatusIs(kInvalid));
  EXPECT_THAT(create({.sums = {1, NAN}, .precisions = {3, 4}}), StatusIs(kInvalid));
  EXPECT_THAT(create({.sums = {1, 2}, .precisions = {3, 0}}), StatusIs(kInvalid));
  EXPECT_THAT(create({.sums = {1, 2}, .precisions = {3, INFINITY}}), StatusIs(kInvalid));
  EXPECT_THAT(PrivateUnigram::Create(0, {}), StatusIs(kInvalid));
  EXPECT_THAT(PrivateUnigram::Create(2, {})->Probabilities(),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("no counts")));
}

// Counts of 30,000 words with a noise of 100 in each of 3 terms, which they stand out from by far,
// and of 10,000 in their sum, which they do not; and one of 300 that the first two share.
TEST(PrivateUnigramTest, NoiseThatTermsShareCountsInEachAndInTheirSum) {
  const std::vector<float> counts = {10000, 10000, 10000};
  ASSERT_OK_AND_ASSIGN(auto unigram, PrivateUnigram::Create(3, {}));
  const std::vector<double> shared = {90000, 90000, 0};
  NoisyCounts reading = {.noisy_counts = counts,
                         .noise_deviation = 100,
                         .term_weights = {},
                         .shared_variances = shared,
                         .shared_variance_of_sum = 1e8};
  EXPECT_THAT(unigram.Add(reading), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_TRUE(unigram.state().sums.empty());
  reading.shared_variance_of_sum = 360000;
  ASSERT_OK(unigram.Add(reading));
  EXPECT_NEAR(unigram.state().precisions[0], 9e8 / 1e5, 1);
  EXPECT_NEAR(unigram.state().precisions[2], 9e8 / 1e4, 1);
  reading.shared_variances = absl::MakeConstSpan(shared).first(2);
  EXPECT_THAT(unigram.Add(reading), StatusIs(kInvalid));
}

TEST(PrivateUnigramTest, RefusesToReadNoise) {
  const std::vector<float> counts = {5, -3, 8, 2};
  EXPECT_THAT(FromCounts(counts, 10),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("must add up to more than 5 deviations of their noise; they add "
                                 "up to 12 words with a noise of 20")));
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

}  // namespace private_unigram_test
}  // namespace topicwall::lda
