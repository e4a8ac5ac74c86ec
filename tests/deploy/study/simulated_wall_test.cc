#include "deploy/study/simulated_wall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "model/lda/topics/sufficient_statistics.h"
#include "server/mechanism/norm_histogram.h"
#include "server/mechanism/unit_clipper.h"
#include "tests/support/status_matchers.h"

namespace topicwall::study {
namespace {

constexpr int kTopics = 4, kTerms = 30;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const lda::EStepOptions& kEStep = *new lda::EStepOptions{
    .document_topic_prior = 0.1, .max_iterations = 30, .mean_change_threshold = 1e-3};

lda::DocumentList Documents() {
  std::mt19937_64 engine(3);
  lda::DocumentList documents;
  for (int d = 0; d < 200; ++d) {
    std::vector<lda::TermCount> document;
    for (uint32_t v = static_cast<uint32_t>(engine() % 6); v < kTerms;
         v += 1 + static_cast<uint32_t>(engine() % 6)) {
      document.push_back({.term = v, .count = 1 + static_cast<uint32_t>(engine() % 4)});
    }
    documents.Append(document);
  }
  return documents;
}

lda::LogTopics Topics() {
  std::mt19937_64 engine(4);
  std::vector<float> values;
  for (int i = 0; i < kTopics * kTerms; ++i) {
    values.push_back(-static_cast<float>(engine() % 1000) / 150);
  }
  return *lda::LogTopics::Create(kTopics, kTerms, values);
}

std::vector<float> Weights() {
  std::vector<float> weights;
  for (int v = 0; v < kTerms; ++v) weights.push_back(0.5F + 0.1F * static_cast<float>(v % 7));
  return weights;
}

TEST(SimulatedWallTest, ItsSumIsThatOfTheMechanismsClipper) {
  constexpr double kClipNorm = 3, kSigma = 10;
  const lda::DocumentList documents = Documents();
  const std::vector<float> weights = Weights();
  SimulatedWall wall(
      {.documents = documents, .vocabulary_size = kTerms, .seed = 1, .num_threads = 1});
  ASSERT_OK_AND_ASSIGN(const auto release,
                       wall.Release(Topics(), {.e_step = kEStep,
                                               .clip_norm = kClipNorm,
                                               .term_weights = weights,
                                               .noise_multiplier = 0,
                                               .histogram_noise_multiplier = 0}));

  ASSERT_OK_AND_ASSIGN(const auto clipper,
                       mechanism::UnitClipper::Create({.shape = model::GridOf(kTopics, kTerms),
                                                       .clip_norm = kClipNorm,
                                                       .weights = weights,
                                                       .noise_multiplier = kSigma}));
  ASSERT_OK_AND_ASSIGN(const auto e_step, lda::EStep::Create(Topics(), kEStep));
  std::vector<double> expected(kTopics * kTerms);
  std::vector<float> histogram(mechanism::kNormHistogramBins);
  lda::EStep::Workspace workspace;
  lda::UnitStatistic rows;
  model::SparseStatistic statistic;
  mechanism::ClippedUnit clipped;
  for (size_t d = 0; d < documents.size(); ++d) {
    e_step.Infer(documents[d], workspace);
    rows.Reset({.num_topics = kTopics, .num_columns = kTerms}, &statistic);
    rows.Add(documents[d], workspace);
    ASSERT_TRUE(clipper.Clip(statistic, &clipped));
    ++histogram[static_cast<size_t>(mechanism::NormHistogramBin(clipped.weighted_norm))];
    size_t at = 0;
    for (const uint32_t term : statistic.columns) {
      for (const uint32_t topic : statistic.rows) {
        expected[topic * kTerms + term] += static_cast<double>(clipped.values[at++]) * kClipNorm /
                                           static_cast<double>(clipper.integer_sensitivity()) /
                                           clipper.weight(term);
      }
    }
  }
  // A unit is rounded down by less than one grid step, 3e-8 words, an entry; the sums are
  // floats.
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(release.noisy_sum[i], expected[i], 2e-5 + 1e-6 * expected[i]) << i;
  }
  EXPECT_EQ(release.norm_histogram, histogram);
  EXPECT_GT(release.kept_words, 0.1);
  EXPECT_LT(release.kept_words, 0.9);
}

TEST(SimulatedWallTest, WithoutClipEveryWordIsThere) {
  const lda::DocumentList documents = Documents();
  SimulatedWall wall(
      {.documents = documents, .vocabulary_size = kTerms, .seed = 1, .num_threads = 3});
  ASSERT_OK_AND_ASSIGN(const auto release,
                       wall.Release(Topics(), {.e_step = kEStep,
                                               .clip_norm = kInfinity,
                                               .term_weights = {},
                                               .noise_multiplier = 0,
                                               .histogram_noise_multiplier = 0}));
  const auto words = static_cast<double>(lda::TokenCount(documents));
  EXPECT_NEAR(std::accumulate(release.noisy_sum.begin(), release.noisy_sum.end(), 0.0) / words, 1,
              1e-5);
  EXPECT_EQ(release.kept_words, 1);
}

TEST(SimulatedWallTest, ItsNoiseHasTheSizeOfTheMechanismsAndDependsOnTheSeedAlone) {
  const lda::DocumentList documents = Documents();
  const std::vector<float> weights = Weights();
  const auto ask = [&](uint64_t seed, double sigma) {
    SimulatedWall wall(
        {.documents = documents, .vocabulary_size = kTerms, .seed = seed, .num_threads = 1});
    return *wall.Release(Topics(), {.e_step = kEStep,
                                    .clip_norm = 2,
                                    .term_weights = weights,
                                    .noise_multiplier = sigma,
                                    .histogram_noise_multiplier = 5});
  };
  const SimulatedRelease exact = ask(1, 0);
  EXPECT_EQ(ask(9, 50).noisy_sum, ask(9, 50).noisy_sum);
  EXPECT_NE(ask(9, 50).noisy_sum, ask(8, 50).noisy_sum);
  // Squares of 120 entries × 200 releases, relative to (σC/w)²: a standard error of √(2/24000) =
  // 0.9 %; the tolerance is seven of these.
  double squares = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const SimulatedRelease noisy = ask(seed, 50);
    for (size_t i = 0; i < noisy.noisy_sum.size(); ++i) {
      const double off = noisy.noisy_sum[i] - exact.noisy_sum[i];
      const double deviation = 100 / weights[i % kTerms];
      squares += off * off / (deviation * deviation);
    }
  }
  EXPECT_NEAR(squares / (200 * kTopics * kTerms), 1, 0.065);
}

// d_kv ∝ w_v·exp(ℓ_kv), row by row, each of length 1.
std::vector<double> Directions() {
  const lda::LogTopics topics = Topics();
  const std::vector<float> weights = Weights();
  std::vector<double> directions;
  for (size_t k = 0; k < kTopics; ++k) {
    double squares = 0;
    for (size_t v = 0; v < kTerms; ++v) {
      directions.push_back(weights[v] * std::exp(double{topics.values()[k * kTerms + v]}));
      squares += directions.back() * directions.back();
    }
    for (size_t v = 0; v < kTerms; ++v) directions[k * kTerms + v] /= std::sqrt(squares);
  }
  return directions;
}

// K×V of each document, as the E-step has it.
std::vector<std::vector<double>> Statistics(const lda::DocumentList& documents) {
  const auto e_step = lda::EStep::Create(Topics(), kEStep);
  EXPECT_OK(e_step);
  lda::EStep::Workspace workspace;
  lda::UnitStatistic rows;
  model::SparseStatistic sparse;
  std::vector<std::vector<double>> statistics;
  for (size_t d = 0; d < documents.size(); ++d) {
    e_step->Infer(documents[d], workspace);
    rows.Reset({.num_topics = kTopics, .num_columns = kTerms}, &sparse);
    rows.Add(documents[d], workspace);
    std::vector<double>& x = statistics.emplace_back(kTopics * kTerms);
    size_t at = 0;
    for (const uint32_t term : sparse.columns) {
      for (const uint32_t topic : sparse.rows) x[topic * kTerms + term] = sparse.values[at++];
    }
  }
  return statistics;
}

TEST(SimulatedWallTest, WithDirectionsItClipsWhatIsLeftOfANormByTheFormula) {
  constexpr double kClipNorm = 3, kR = 2;
  const lda::DocumentList documents = Documents();
  const std::vector<float> weights = Weights();
  const std::vector<double> directions = Directions();
  std::vector<double> expected(kTopics * kTerms);
  std::vector<float> histogram(mechanism::kNormHistogramBins);
  double shorter = 0;
  for (const std::vector<double>& x : Statistics(documents)) {
    double squares = 0, along = 0;
    for (size_t k = 0; k < kTopics; ++k) {
      double product = 0;
      for (size_t v = 0; v < kTerms; ++v) {
        const double u = weights[v] * x[k * kTerms + v];
        squares += u * u;
        product += u * directions[k * kTerms + v];
      }
      along += product * product;
    }
    const double norm = std::sqrt(squares - kR * kR / (1 + kR * kR) * along);
    shorter += norm < 0.9 * std::sqrt(squares) ? 1 : 0;
    for (size_t i = 0; i < x.size(); ++i) expected[i] += x[i] * std::min(1.0, kClipNorm / norm);
    ++histogram[static_cast<size_t>(mechanism::NormHistogramBin(norm))];
  }
  EXPECT_GT(shorter, 50) << "or the test would not see it";
  SimulatedWall wall(
      {.documents = documents, .vocabulary_size = kTerms, .seed = 1, .num_threads = 2});
  ASSERT_OK_AND_ASSIGN(const auto release, wall.Release(Topics(), {.e_step = kEStep,
                                                                   .clip_norm = kClipNorm,
                                                                   .term_weights = weights,
                                                                   .noise_multiplier = 0,
                                                                   .histogram_noise_multiplier = 0,
                                                                   .direction_noise = kR}));
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(release.noisy_sum[i], expected[i], 1e-5 * (1 + expected[i])) << i;
  }
  EXPECT_EQ(release.norm_histogram, histogram);
}

// Row k of the noise, weighted and over σC, is N(0, I) + r·g_k·d_k: along d_k of variance 1 + r²,
// across it of 1, and that of different rows is independent. Fixed seeds: no false alarm. Of 200
// releases the deviations are 5 % (800 draws along), 0.9 % (23,200 across) and 7 % of 1 + r² (two
// rows).
TEST(SimulatedWallTest, NoiseAlongEachDirectionIsOneDrawARow) {
  constexpr double kR = 3;
  const lda::DocumentList documents = Documents();
  const std::vector<float> weights = Weights();
  const std::vector<double> directions = Directions();
  const auto ask = [&](uint64_t seed, double sigma) {
    SimulatedWall wall(
        {.documents = documents, .vocabulary_size = kTerms, .seed = seed, .num_threads = 1});
    return wall
        .Release(Topics(), {.e_step = kEStep,
                            .clip_norm = 2,
                            .term_weights = weights,
                            .noise_multiplier = sigma,
                            .histogram_noise_multiplier = 0,
                            .direction_noise = kR})
        ->noisy_sum;
  };
  const std::vector<float> exact = ask(1, 0);
  double along = 0, across = 0, together = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const std::vector<float> noisy = ask(seed, 50);
    std::vector<double> lengths;
    for (size_t k = 0; k < kTopics; ++k) {
      double squares = 0, length = 0;
      for (size_t v = 0; v < kTerms; ++v) {
        const size_t i = k * kTerms + v;
        const double noise = weights[v] * (double{noisy[i]} - exact[i]) / 100;
        squares += noise * noise;
        length += noise * directions[i];
      }
      along += length * length;
      across += squares - length * length;
      lengths.push_back(length);
    }
    together += lengths[0] * lengths[1];
  }
  EXPECT_NEAR(along / (200 * kTopics) / (1 + kR * kR), 1, 0.3);
  EXPECT_NEAR(across / (200 * kTopics * (kTerms - 1)), 1, 0.055);
  EXPECT_NEAR(together / 200 / (1 + kR * kR), 0, 0.45);
}

TEST(SimulatedWallTest, DrawsEachDocumentByItsOwnCoin) {
  const lda::DocumentList documents = Documents();
  SimulatedWall wall(
      {.documents = documents, .vocabulary_size = kTerms, .seed = 2, .num_threads = 1});
  const auto drawn = [&] {
    const auto release = wall.Release(Topics(), {.e_step = kEStep,
                                                 .clip_norm = kInfinity,
                                                 .term_weights = {},
                                                 .noise_multiplier = 0,
                                                 .histogram_noise_multiplier = 0,
                                                 .sampling_rate = 0.25});
    const std::vector<float>& bins = release->norm_histogram;
    return std::accumulate(bins.begin(), bins.end(), 0.0);
  };
  // 200 coins of 1/4, a hundred times: the mean is 50 ± 0.61, and one draw off by one in four
  // documents (all, or every fourth) has no spread. Fixed seed: no false alarm.
  double sum = 0, squares = 0;
  for (int i = 0; i < 100; ++i) {
    const double count = drawn();
    sum += count;
    squares += count * count;
  }
  EXPECT_NEAR(sum / 100, 50, 4);
  EXPECT_NEAR(squares / 100 - sum / 100 * (sum / 100), 37.5, 25);
}

TEST(SimulatedWallTest, TheWholeBatchClipScalesTheSum) {
  const lda::DocumentList documents = Documents();
  const auto ask = [&](bool whole_batch, double clip_norm) {
    SimulatedWall wall(
        {.documents = documents, .vocabulary_size = kTerms, .seed = 1, .num_threads = 2});
    return *wall.Release(Topics(), {.e_step = kEStep,
                                    .clip_norm = clip_norm,
                                    .term_weights = {},
                                    .noise_multiplier = 0,
                                    .histogram_noise_multiplier = 0,
                                    .clip_whole_batch = whole_batch});
  };
  const SimulatedRelease sum = ask(false, kInfinity);
  const SimulatedRelease clipped = ask(true, 50);
  double squares = 0, clipped_squares = 0;
  for (const float x : sum.noisy_sum) squares += double{x} * x;
  for (const float x : clipped.noisy_sum) clipped_squares += double{x} * x;
  EXPECT_NEAR(std::sqrt(clipped_squares), 50, 1e-3);
  for (size_t i = 0; i < sum.noisy_sum.size(); ++i) {
    EXPECT_NEAR(clipped.noisy_sum[i], sum.noisy_sum[i] * 50 / std::sqrt(squares), 1e-4) << i;
  }
  EXPECT_NEAR(clipped.kept_words, 50 / std::sqrt(squares), 1e-6);
  EXPECT_EQ(ask(true, 1e6).noisy_sum, sum.noisy_sum);
}

TEST(SimulatedWallTest, AnOwnersDocumentsAreClippedTogether) {
  const lda::DocumentList documents = Documents();
  lda::DocumentList halves[2];
  for (size_t d = 0; d < documents.size(); ++d) halves[d < 70 ? 0 : 1].Append(documents[d]);
  const SimulatedRequest request = {.e_step = kEStep,
                                    .clip_norm = 10,
                                    .term_weights = {},
                                    .noise_multiplier = 0,
                                    .histogram_noise_multiplier = 0};
  // Each owner's exact sum alone, at the length of the clip.
  std::vector<double> expected(kTopics * kTerms);
  for (const lda::DocumentList& theirs : halves) {
    SimulatedRequest exact = request;
    exact.clip_norm = kInfinity;
    SimulatedWall wall(
        {.documents = theirs, .vocabulary_size = kTerms, .seed = 1, .num_threads = 1});
    const std::vector<float> sum = wall.Release(Topics(), exact)->noisy_sum;
    double squares = 0;
    for (const float x : sum) squares += double{x} * x;
    ASSERT_GT(squares, 100);
    for (size_t i = 0; i < sum.size(); ++i) expected[i] += sum[i] * 10 / std::sqrt(squares);
  }
  const std::vector<size_t> units = {0, 70};
  SimulatedWall wall({.documents = documents,
                      .vocabulary_size = kTerms,
                      .seed = 1,
                      .num_threads = 2,
                      .units = units});
  ASSERT_OK_AND_ASSIGN(const auto release, wall.Release(Topics(), request));
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(release.noisy_sum[i], expected[i], 1e-4) << i;
  }
  EXPECT_EQ(std::accumulate(release.norm_histogram.begin(), release.norm_histogram.end(), 0.0), 2);
}

}  // namespace
}  // namespace topicwall::study
