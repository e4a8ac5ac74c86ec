#include "model/lda/denoise/noise_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "model/lda/denoise/denoised_trainer.h"
#include "model/lda/denoise/running_statistic.h"
#include "model/lda/topics/step_size.h"
#include "tests/support/status_matchers.h"

namespace topicwall::lda {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// The Debian catalogue at ε = 0.5 and δ = 1e-4, as topicwall-study ran it.
constexpr CorpusAssumption kCatalogue = {
    .num_documents = 58087, .words_per_document = 36.09, .vocabulary_size = 8000};
constexpr NoisyFit kFit = {.num_topics = 20,
                           .iterations = 20,
                           .sampling_rate = 1,
                           .noise_multiplier = 30.54,
                           .counts_noise_multiplier = 30.23,
                           .counts_clip_norm = 5};

// The weight of every release in the average was multiplied out in exact fractions (Python's
// fractions.Fraction) and their squares summed, instead of carrying a variance along.
TEST(NoiseLeftByAveragingTest, IsTheRootOfTheSumOfSquaredWeights) {
  EXPECT_NEAR(NoiseLeftByAveraging(3, 1), 1.0, 1e-15);
  EXPECT_NEAR(NoiseLeftByAveraging(2, 40), 0.20954987431583913, 1e-15);
  EXPECT_NEAR(NoiseLeftByAveraging(3, 5), 0.596246764420263, 1e-15);
  EXPECT_NEAR(NoiseLeftByAveraging(3, 10), 0.44658768393290854, 1e-15);
  EXPECT_NEAR(NoiseLeftByAveraging(3, 20), 0.3262147581021528, 1e-15);
  EXPECT_NEAR(NoiseLeftByAveraging(1, 7), 0.4225771273642583, 1e-15);
  EXPECT_NEAR(NoiseLeftByAveraging(0, 20), 1 / std::sqrt(20.0), 1e-15) << "a plain mean";
}

TEST(NoiseLeftByAveragingTest, IsWhatTheRunningAverageOfAFitSays) {
  ASSERT_OK_AND_ASSIGN(
      auto average,
      RunningStatistic::Create({.num_topics = 1, .vocabulary_size = 2, .sampling_rate = 0.5}, {}));
  const std::vector<float> sum = {1, 2}, weights = {1, 4};
  for (int t = 1; t <= 12; ++t) {
    ASSERT_OK(average.Update({.noisy_sum = sum,
                              .noise_deviation = 3,
                              .term_weights = weights,
                              .step_size = PolynomialStepSize(3, t)}));
  }
  const double left = NoiseLeftByAveraging(3, 12);
  EXPECT_NEAR(average.noisy_topics().noise_deviations[0], 3 / 0.5 * left, 1e-6);
  EXPECT_NEAR(average.noisy_topics().noise_deviations[1], 3 / 0.5 / 4 * left, 1e-6);
}

// By a Python program of its own, with the weights of all releases as fractions.
TEST(ExpectSignalTest, IsTheFormulaOfTheHeader) {
  ASSERT_OK_AND_ASSIGN(const auto expected, ExpectSignal(kCatalogue, kFit));
  EXPECT_NEAR(expected.clip_norm, 3.904871956927654, 1e-12);
  EXPECT_NEAR(expected.noise, 35.791377958712985, 1e-10);
  EXPECT_NEAR(expected.counts_signal, 107.54940238390921, 1e-9);
  const std::vector<ExpectedTerm> golden = {
      {1, 17629.270615477395, 145.9461500520995, 120.79298158385227},
      {10, 5136.086714745383, 107.22403439558857, 47.90051730189973},
      {100, 635.134384394025, 63.58438326781805, 9.988842413062855},
      {1000, 65.05265909770257, 35.97081852410233, 1.808484259375802},
      {4000, 16.296075468375438, 25.4480678388597, 0.6403659237142951},
      {8000, 8.150786769123716, 23.93513701163611, 0.3405364575586593}};
  ASSERT_EQ(expected.terms.size(), golden.size());
  for (size_t i = 0; i < golden.size(); ++i) {
    EXPECT_EQ(expected.terms[i].rank, golden[i].rank);
    EXPECT_NEAR(expected.terms[i].signal, golden[i].signal, 1e-9 * golden[i].signal);
    EXPECT_NEAR(expected.terms[i].noise, golden[i].noise, 1e-6 * golden[i].noise);  // w is float
    EXPECT_NEAR(expected.terms[i].signal_to_noise, golden[i].signal_to_noise,
                1e-6 * golden[i].signal_to_noise);
  }
  EXPECT_EQ(expected.judged.rank, 1000);
  EXPECT_EQ(expected.judged.signal, expected.terms[3].signal);
}

TEST(ExpectSignalTest, SamplingMakesTheNoiseOfSumsLargerAndTwoTopicsHoldAWordInTwo) {
  ASSERT_OK_AND_ASSIGN(
      const auto expected,
      ExpectSignal({.num_documents = 1000, .words_per_document = 9, .vocabulary_size = 400},
                   {.num_topics = 2,
                    .iterations = 5,
                    .sampling_rate = 0.25,
                    .noise_multiplier = 2,
                    .counts_noise_multiplier = 1.5,
                    .counts_clip_norm = 5}));
  EXPECT_NEAR(expected.noise, 9.424775859403768, 1e-12);
  EXPECT_NEAR(expected.counts_signal, 15, 1e-12);
  ASSERT_EQ(expected.terms.size(), 5u) << "there is no rank 1000";
  EXPECT_NEAR(expected.terms[0].signal, 183.73064927641855, 1e-9);
  EXPECT_NEAR(expected.terms[4].signal_to_noise, 0.2660106921666513, 1e-6);
  EXPECT_EQ(expected.judged.rank, 50) << "an eighth of 400";
}

// τ and C of a fit by the production trainer, topicwall-study's simulated wall, seed 1, with ρ_t of
// power 3: what the arithmetic makes of a guessed clip norm and guessed frequencies.
TEST(ExpectSignalTest, TheNoiseOfARealFitIsWithinAThird) {
  ASSERT_OK_AND_ASSIGN(const auto expected, ExpectSignal(kCatalogue, kFit));
  const double left =
      NoiseLeftByAveraging(3, 20) / NoiseLeftByAveraging(DenoisedRecipe().step_power, 19);
  const std::vector<double> measured = {163, 113.3, 80.72, 40.54, 33.16, 32.68};
  for (size_t i = 0; i < measured.size(); ++i) {
    const double noise = expected.terms[i].noise * left;
    EXPECT_NEAR(noise / measured[i], 1, 1.0 / 3) << expected.terms[i].rank;
  }
  EXPECT_NEAR(expected.clip_norm / 4.284, 1, 0.2);
}

TEST(ExpectSignalTest, SignalGrowsWithDocumentsAndWithTheRootOfTheirLength) {
  const auto base = ExpectSignal(kCatalogue, kFit);
  CorpusAssumption corpus = kCatalogue;
  corpus.num_documents *= 3;
  const auto more = ExpectSignal(corpus, kFit);
  corpus = kCatalogue;
  corpus.words_per_document *= 4;
  const auto longer = ExpectSignal(corpus, kFit);
  NoisyFit louder = kFit;
  louder.noise_multiplier *= 2;
  const auto noisier = ExpectSignal(kCatalogue, louder);
  for (size_t i = 0; i < base->terms.size(); ++i) {
    const double before = base->terms[i].signal_to_noise;
    EXPECT_NEAR(more->terms[i].signal_to_noise, 3 * before, 1e-9 * before);
    EXPECT_NEAR(longer->terms[i].signal_to_noise, 2 * before, 1e-9 * before);
    EXPECT_NEAR(noisier->terms[i].signal_to_noise, before / 2, 1e-9 * before);
  }
}

// σ of the wall's adaptive filter at δ = 1e-4 for 41 releases, and the perplexity that the fits
// had, where true word frequencies, not private, have 1821.
TEST(ExpectSignalTest, FitsThatWereWorseThanWordFrequenciesAreExpectedToBeAndTheOthersAreNot) {
  struct Fit {
    double noise_multiplier;
    int num_topics;
    double perplexity;
  };
  for (const Fit& fit : {Fit{180.4, 5, 2123}, Fit{180.4, 10, 2233}, Fit{180.4, 50, 2521},
                         Fit{96.56, 10, 1916}, Fit{96.56, 20, 1928}, Fit{67.00, 20, 1776},
                         Fit{42.24, 10, 1608}, Fit{42.24, 20, 1558}, Fit{22.63, 20, 1383}}) {
    NoisyFit noisy = kFit;
    noisy.num_topics = fit.num_topics;
    noisy.iterations = 40;
    noisy.noise_multiplier = 1.01 * fit.noise_multiplier;
    noisy.counts_noise_multiplier = fit.noise_multiplier;
    ASSERT_OK_AND_ASSIGN(const auto expected, ExpectSignal(kCatalogue, noisy));
    EXPECT_EQ(expected.MayBeBelowWordFrequencies(), fit.perplexity > 1821) << fit.noise_multiplier;
  }
}

TEST(ExpectSignalTest, CountsThatAreNoiseAreBelowWordFrequenciesWhateverTheTopicsAre) {
  NoisyFit fit = kFit;
  fit.counts_noise_multiplier = 3000;  // their sum is then 1.08 deviations of its noise
  ASSERT_OK_AND_ASSIGN(const auto expected, ExpectSignal(kCatalogue, fit));
  EXPECT_GT(expected.judged.signal_to_noise, kLeastSignal);
  EXPECT_TRUE(expected.CountsAreNoise());
  EXPECT_TRUE(expected.MayBeBelowWordFrequencies());
}

// A histogram that drowns leaves C what was asked for, and the noise is of that.
TEST(ExpectSignalTest, AClipNormThatNoHistogramChoosesStaysInAllReleases) {
  NoisyFit fit = kFit;
  fit.first_clip_norm = 50;
  ASSERT_OK_AND_ASSIGN(const auto read, ExpectSignal(kCatalogue, fit));
  EXPECT_EQ(read.clip_norm_stays, 0);
  fit.histogram_noise_multiplier = 1e6;  // 58,087 units are 0.008 deviations of the sum of 48
  ASSERT_OK_AND_ASSIGN(const auto drowned, ExpectSignal(kCatalogue, fit));
  // In one of millions of fits it is read all the same.
  EXPECT_NEAR(drowned.noise / (30.54 * 50 * NoiseLeftByAveraging(2, 19)), 1, 1e-5);
  EXPECT_GT(drowned.clip_norm_stays, 0.99);
  EXPECT_TRUE(drowned.ClipNormStays());
  // All words are left of what was clipped to 73 %.
  ASSERT_OK_AND_ASSIGN(const auto usual, ExpectSignal(kCatalogue, kFit));
  EXPECT_NEAR(drowned.judged.signal / usual.judged.signal, 1 / kKeptWords, 1e-5);
  EXPECT_EQ(drowned.clip_norm, usual.clip_norm) << "where it would settle";
}

// Weights of the releases and chances of C multiplied out, instead of carried along. 1,677 is a
// histogram noise of which 58,087 units are five deviations: as often read as not.
TEST(ExpectSignalTest, BetweenTheTwoItIsTheMeanOverWhenAHistogramIsFirstRead) {
  NoisyFit fit = kFit;
  fit.iterations = 5;  // one of them warms up
  fit.histogram_noise_multiplier = 58087 / (5 * std::sqrt(48.0));
  fit.first_clip_norm = 50;
  ASSERT_OK_AND_ASSIGN(const auto expected, ExpectSignal(kCatalogue, fit));
  const double settled = 0.65 * std::sqrt(36.09);
  double variance = 0, words = 0;
  for (int t = 1; t <= 4; ++t) {
    double weight = t == 1 ? 1 : PolynomialStepSize(2, t);
    for (int later = t + 1; later <= 4; ++later) weight *= 1 - PolynomialStepSize(2, later);
    const double stays = std::pow(0.5, t - 1);
    variance += weight * weight * (stays * 2500 + (1 - stays) * settled * settled);
    words += weight * (stays + (1 - stays) * kKeptWords);
  }
  EXPECT_NEAR(expected.noise, 30.54 * std::sqrt(variance), 1e-9 * expected.noise);
  EXPECT_NEAR(expected.clip_norm_stays, 0.125, 1e-12);
  EXPECT_FALSE(expected.ClipNormStays());
  fit.first_clip_norm.reset();
  ASSERT_OK_AND_ASSIGN(const auto usual, ExpectSignal(kCatalogue, fit));
  EXPECT_NEAR(expected.judged.signal / usual.judged.signal, words / kKeptWords, 1e-9);
}

// A histogram of a sampled batch is of as few units.
TEST(ExpectSignalTest, OfFewUnitsDrawnTheHistogramDrownsSooner) {
  NoisyFit fit = kFit;
  fit.histogram_noise_multiplier = 400;
  fit.first_clip_norm = 50;
  EXPECT_FALSE(ExpectSignal(kCatalogue, fit)->ClipNormStays());
  fit.sampling_rate = 0.1;
  EXPECT_TRUE(ExpectSignal(kCatalogue, fit)->ClipNormStays());
}

TEST(ExpectSignalTest, OneTermIsNoTrouble) {
  CorpusAssumption corpus = kCatalogue;
  corpus.vocabulary_size = 1;
  ASSERT_OK_AND_ASSIGN(const auto expected, ExpectSignal(corpus, kFit));
  ASSERT_EQ(expected.terms.size(), 1u);
  EXPECT_EQ(expected.judged.rank, 1);
}

TEST(ExpectSignalTest, WhatIsOutOfRangeIsNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<const char*, std::function<void(CorpusAssumption&, NoisyFit&)>>>
      wrong = {
          {"num_documents", [](CorpusAssumption& c, NoisyFit&) { c.num_documents = 0; }},
          {"num_documents", [nan](CorpusAssumption& c, NoisyFit&) { c.num_documents = nan; }},
          {"words_per_document", [](CorpusAssumption& c, NoisyFit&) { c.words_per_document = .5; }},
          {"vocabulary_size", [](CorpusAssumption& c, NoisyFit&) { c.vocabulary_size = 0; }},
          {"num_topics", [](CorpusAssumption&, NoisyFit& f) { f.num_topics = 0; }},
          {"iterations", [](CorpusAssumption&, NoisyFit& f) { f.iterations = 0; }},
          {"sampling_rate", [](CorpusAssumption&, NoisyFit& f) { f.sampling_rate = 1.5; }},
          {"noise_multiplier", [nan](CorpusAssumption&, NoisyFit& f) { f.noise_multiplier = nan; }},
          {"counts_noise_multiplier",
           [](CorpusAssumption&, NoisyFit& f) { f.counts_noise_multiplier = 0; }},
          {"counts_clip_norm", [](CorpusAssumption&, NoisyFit& f) { f.counts_clip_norm = -1; }},
          {"histogram_noise_multiplier",
           [nan](CorpusAssumption&, NoisyFit& f) { f.histogram_noise_multiplier = nan; }},
      };
  for (const auto& [name, spoil] : wrong) {
    CorpusAssumption corpus = kCatalogue;
    NoisyFit fit = kFit;
    spoil(corpus, fit);
    EXPECT_THAT(ExpectSignal(corpus, fit),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(name)));
  }
}

}  // namespace
}  // namespace topicwall::lda
