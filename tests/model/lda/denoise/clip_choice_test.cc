#include "model/lda/denoise/clip_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace clip_choice_test {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

// The bin of a norm by the definition of the header, edge by edge.
size_t Bin(double norm) {
  size_t bin = 0;
  while (bin < 47 && norm > 0.5 * std::pow(2.0, static_cast<double>(bin) / 6)) ++bin;
  return bin;
}

// Log-normal norms around 4 words.
struct Norms {
  std::vector<double> sorted;
  std::vector<float> histogram = std::vector<float>(kClipHistogramBins);

  explicit Norms(int units) {
    std::mt19937_64 engine(2);
    std::normal_distribution<double> normal;
    for (int i = 0; i < units; ++i) sorted.push_back(4 * std::exp(0.5 * normal(engine)));
    std::sort(sorted.begin(), sorted.end());
    for (const double norm : sorted) ++histogram[Bin(norm)];
  }
  double Quantile(double q) const {
    return sorted[static_cast<size_t>(q * static_cast<double>(sorted.size()))];
  }
};

TEST(ClipChoiceTest, IsTheQuantileOfTheNormsToAFractionOfABin) {
  const Norms norms(100000);
  for (const double q : {0.05, 0.2, 0.4, 0.5, 0.8, 0.97}) {
    ASSERT_OK_AND_ASSIGN(
        const auto chosen,
        ChooseClipNorm({.noisy_counts = norms.histogram, .noise_deviation = 0}, q));
    // A bin is 12 % wide; within it the norms lie nearly evenly on the logarithmic scale.
    EXPECT_NEAR(chosen / norms.Quantile(q), 1, 0.01) << q;
  }
}

TEST(ClipChoiceTest, NoiseOfBothSignsMovesItLittle) {
  const Norms norms(20000);
  std::mt19937_64 engine(9);
  std::normal_distribution<double> normal;
  for (int repetition = 0; repetition < 50; ++repetition) {
    std::vector<float> noisy = norms.histogram;
    // Most bins are empty: half of them become negative.
    for (float& count : noisy) count += static_cast<float>(150 * normal(engine));
    ASSERT_OK_AND_ASSIGN(const auto chosen,
                         ChooseClipNorm({.noisy_counts = noisy, .noise_deviation = 150}, 0.4));
    // Up to the quantile 18 bins with a noise of 150√18 = 640 units, and 0.4·150·√48 = 416 of the
    // total: about 700 units, where a bin holds 1,700. Five times that is two bins.
    EXPECT_NEAR(std::log2(chosen / norms.Quantile(0.4)) * 6, 0, 2.1);
  }
}

TEST(ClipChoiceTest, StaysWithinTheEdges) {
  std::vector<float> small(kClipHistogramBins), large(kClipHistogramBins);
  small[0] = 100;
  large[47] = 100;
  EXPECT_EQ(*ChooseClipNorm({.noisy_counts = small, .noise_deviation = 0}, 0.4), 0.5);
  EXPECT_NEAR(*ChooseClipNorm({.noisy_counts = large, .noise_deviation = 0}, 0.4),
              0.5 * std::pow(2.0, 46.0 / 6), 1e-9);
}

TEST(ClipChoiceTest, CountsThatFallArePooled) {
  // Cumulated 0 … 0, 100, 40, 160, 160, …: rising again 0, 70, 70, 160, so that 64 of 160 are
  // reached within the first of them.
  std::vector<float> counts(kClipHistogramBins);
  counts[10] = 100;
  counts[11] = -60;
  counts[12] = 120;
  ASSERT_OK_AND_ASSIGN(const auto chosen,
                       ChooseClipNorm({.noisy_counts = counts, .noise_deviation = 0}, 0.4));
  EXPECT_NEAR(chosen, 0.5 * std::pow(2.0, (9 + 64.0 / 70) / 6), 1e-9);
}

TEST(ClipChoiceTest, RefusesToReadNoise) {
  std::vector<float> counts(kClipHistogramBins, 1);
  EXPECT_THAT(ChooseClipNorm({.noisy_counts = counts, .noise_deviation = 2}, 0.4),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("Keep the clip norm")));
  std::fill(counts.begin(), counts.end(), -1);
  EXPECT_THAT(ChooseClipNorm({.noisy_counts = counts, .noise_deviation = 0}, 0.4),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(ClipChoiceTest, RefusesByName) {
  std::vector<float> counts(kClipHistogramBins, 1);
  for (const double bad : {0.0, 1.0, std::nan("")}) {
    EXPECT_THAT(ChooseClipNorm({.noisy_counts = counts, .noise_deviation = 0}, bad),
                StatusIs(kInvalid, HasSubstr("quantile")));
  }
  for (const double bad : {-1.0, std::nan(""), double{INFINITY}}) {
    EXPECT_THAT(ChooseClipNorm({.noisy_counts = counts, .noise_deviation = bad}, 0.4),
                StatusIs(kInvalid, HasSubstr("noise_deviation")));
  }
  counts[3] = NAN;
  EXPECT_THAT(ChooseClipNorm({.noisy_counts = counts, .noise_deviation = 0}, 0.4),
              StatusIs(kInvalid, HasSubstr("finite")));
  counts.resize(47);
  EXPECT_THAT(ChooseClipNorm({.noisy_counts = counts, .noise_deviation = 0}, 0.4),
              StatusIs(kInvalid, HasSubstr("got 47")));
}

TEST(NextDirectionNoiseTest, BeginsWithLongDocumentsAndEndsWithMuchShorterOnes) {
  const LongDocuments rule = {.clip_norm = 10, .direction_noise = 3};
  EXPECT_EQ(NextDirectionNoise(0, 9.99, rule), 0);
  EXPECT_EQ(NextDirectionNoise(0, 10, rule), 3);
  EXPECT_EQ(NextDirectionNoise(3, 4, rule), 3) << "the norm is smaller with it";
  EXPECT_EQ(NextDirectionNoise(3, 3.99, rule), 0);
  EXPECT_EQ(NextDirectionNoise(2, 20, rule), 2) << "as it was";
  const LongDocuments never = {.clip_norm = 10, .direction_noise = 0};
  EXPECT_EQ(NextDirectionNoise(0, 20, never), 0);
  EXPECT_EQ(NextDirectionNoise(3, 20, never), 0);
}

TEST(NextDirectionNoiseTest, IsWhatAWallTakes) {
  for (const double good : {0.0, 1.0, 5.0, 16.0}) EXPECT_OK(CheckDirectionNoise(good));
  for (const double bad : {-5.0, -0.0, 0.99, 16.1, std::nan("")}) {
    EXPECT_THAT(CheckDirectionNoise(bad), StatusIs(kInvalid, HasSubstr("direction_noise")));
  }
}

// What it says, and how often it happens.
TEST(ClipChoiceTest, HowOftenNothingIsLearnedIsKnownBeforehand) {
  std::mt19937_64 engine(4);
  std::normal_distribution<double> normal;
  const Norms norms(3000);
  for (const double noise : {60.0, 80.0, 96.0, 120.0}) {
    int unread = 0;
    constexpr int kTries = 2000;
    for (int i = 0; i < kTries; ++i) {
      std::vector<float> noisy = norms.histogram;
      for (float& count : noisy) count += static_cast<float>(noise * normal(engine));
      unread +=
          ChooseClipNorm({.noisy_counts = noisy, .noise_deviation = noise}, 0.25).ok() ? 0 : 1;
    }
    const double chance = ChanceOfNoChoice(3000, noise);
    EXPECT_NEAR(unread, kTries * chance, 4 * std::sqrt(kTries * chance * (1 - chance)) + 1)
        << noise;
  }
  EXPECT_EQ(ChanceOfNoChoice(1, 0), 0);
  EXPECT_EQ(ChanceOfNoChoice(0, 0), 1);
}

}  // namespace clip_choice_test
}  // namespace topicwall::lda
