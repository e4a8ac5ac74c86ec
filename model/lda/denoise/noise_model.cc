#include "model/lda/denoise/noise_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/lda/denoise/clip_choice.h"
#include "model/lda/denoise/denoised_trainer.h"
#include "model/lda/denoise/out_of_range.h"
#include "model/lda/denoise/term_weights.h"
#include "model/lda/topics/step_size.h"

namespace topicwall::lda {
namespace {

// The guesses, each within a fifth or so of what was measured (noise_model_test.cc).
constexpr double kRankOffset = 2.7;
constexpr double kClipPerRootOfWords = 0.65;
constexpr double kTopicsOfAWord = 3;
// Norm of a document's word counts over √L: words repeat.
constexpr double kCountsNormPerRootOfWords = 1.2;

constexpr int64_t kMostIterations = 1'000'000;

absl::Status CheckPositive(absl::string_view name, double value) {
  if (value > 0 && std::isfinite(value)) return absl::OkStatus();
  return OutOfRange(name, "positive and finite", value);
}

absl::Status Check(const CorpusAssumption& corpus, const NoisyFit& fit) {
  if (!(corpus.words_per_document >= 1 && std::isfinite(corpus.words_per_document))) {
    return OutOfRange("words_per_document", "at least 1 and finite", corpus.words_per_document);
  }
  if (corpus.vocabulary_size < 1) {
    return OutOfRange("vocabulary_size", "at least 1", corpus.vocabulary_size);
  }
  if (fit.num_topics < 1) return OutOfRange("num_topics", "at least 1", fit.num_topics);
  if (!(fit.iterations >= 1 && fit.iterations <= kMostIterations)) {
    return OutOfRange("iterations", "in [1, 10^6]", static_cast<double>(fit.iterations));
  }
  if (!(fit.sampling_rate > 0 && fit.sampling_rate <= 1)) {
    return OutOfRange("sampling_rate", "in (0, 1]", fit.sampling_rate);
  }
  TW_RETURN_IF_ERROR(CheckPositive("num_documents", corpus.num_documents));
  TW_RETURN_IF_ERROR(CheckPositive("noise_multiplier", fit.noise_multiplier));
  TW_RETURN_IF_ERROR(CheckPositive("counts_noise_multiplier", fit.counts_noise_multiplier));
  TW_RETURN_IF_ERROR(CheckPositive("counts_clip_norm", fit.counts_clip_norm));
  if (!(fit.histogram_noise_multiplier >= 0 && std::isfinite(fit.histogram_noise_multiplier))) {
    return OutOfRange("histogram_noise_multiplier", "at least 0 and finite",
                      fit.histogram_noise_multiplier);
  }
  return CheckPositive("first_clip_norm", fit.first_clip_norm.value_or(1));
}

// p, by rank.
// Mandelbrot's offset flattens the head: the commonest words are not as common as 1/r has them.
std::vector<double> ZipfProbabilities(int vocabulary_size) {
  std::vector<double> probabilities;
  double total = 0;
  for (int rank = 1; rank <= vocabulary_size; ++rank) {
    probabilities.push_back(1 / (rank + kRankOffset));
    total += probabilities.back();
  }
  for (double& p : probabilities) p /= total;
  return probabilities;
}

// 1, 10, 100, 1000, V/2 and V, as far as there are such.
std::vector<int> RanksToShow(int vocabulary_size) {
  std::vector<int> ranks;
  for (const int rank : {1, 10, 100, 1000, vocabulary_size / 2, vocabulary_size}) {
    if (rank >= 1 && rank <= vocabulary_size) ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

int JudgedRank(int vocabulary_size) {
  return std::min(1000, vocabulary_size / 8 + (vocabulary_size % 8 == 0 ? 0 : 1));
}

// Words of all documents that the K = 1 release counts, in deviations of the noise of their sum.
double CountsSignal(const CorpusAssumption& corpus, const NoisyFit& fit) {
  const double words = corpus.num_documents * corpus.words_per_document *
                       ShareLeftByClip(corpus.words_per_document, fit.counts_clip_norm);
  const double noise = fit.counts_noise_multiplier * fit.counts_clip_norm / fit.sampling_rate;
  return words / (noise * std::sqrt(corpus.vocabulary_size));
}

// Of an average after some releases: noise in deviations of one release at the settled C, words in
// those of a document.
struct Left {
  double noise;
  double words;
  double stays;  // chance that the last release has the first C
};

// `first`: C of the first release over the settled one; `unread`: chance that a release's histogram
// leaves C as it was.
Left LeftByAveraging(double step_power, int64_t iterations, double first, double unread) {
  const double words_at_first = std::min(1.0, kKeptWords * first);
  double variance = first * first, words = words_at_first, stays = 1;
  for (int64_t t = 2; t <= iterations; ++t) {
    stays *= unread;
    const double rho = PolynomialStepSize(step_power, t);
    variance = (1 - rho) * (1 - rho) * variance + rho * rho * (stays * first * first + 1 - stays);
    words = (1 - rho) * words + rho * (stays * words_at_first + (1 - stays) * kKeptWords);
  }
  return {.noise = std::sqrt(variance), .words = words, .stays = stays};
}

}  // namespace

// As if all documents had this norm: up to C nothing is clipped, beyond it every word in
// proportion.
double ShareLeftByClip(double words_per_document, double clip_norm) {
  const double norm = kCountsNormPerRootOfWords * std::sqrt(words_per_document);
  return std::min(1.0, clip_norm / norm);
}

// The recursion of running_statistic.h with a noise of 1 in every release.
double NoiseLeftByAveraging(double step_power, int64_t iterations) {
  double variance = 1;
  for (int64_t t = 2; t <= iterations; ++t) {
    const double rho = PolynomialStepSize(step_power, t);
    variance = (1 - rho) * (1 - rho) * variance + rho * rho;
  }
  return std::sqrt(variance);
}

absl::StatusOr<ExpectedSignal> ExpectSignal(const CorpusAssumption& corpus, const NoisyFit& fit) {
  TW_RETURN_IF_ERROR(Check(corpus, fit));
  const std::vector<double> probabilities = ZipfProbabilities(corpus.vocabulary_size);
  TW_ASSIGN_OR_RETURN(const std::vector<float> weights, TermWeights(probabilities, {}));

  ExpectedSignal expected = {
      .clip_norm = kClipPerRootOfWords * std::sqrt(corpus.words_per_document),
      .noise = 0,
      .clip_norm_stays = 0,
      .kept_words = 0,
      .counts_signal = CountsSignal(corpus, fit),
      .terms = {},
      .judged = {}};
  const Left left = LeftByAveraging(
      DenoisedRecipe().step_power, fit.iterations - WarmUpIterations(fit.iterations),
      fit.first_clip_norm.value_or(expected.clip_norm) / expected.clip_norm,
      ChanceOfNoChoice(fit.sampling_rate * corpus.num_documents, fit.histogram_noise_multiplier));
  expected.clip_norm_stays = left.stays;
  expected.kept_words = left.words;
  expected.noise = fit.noise_multiplier * expected.clip_norm / fit.sampling_rate * left.noise;
  // Fewer than three topics cannot share a word among three.
  const double words = left.words * corpus.num_documents * corpus.words_per_document /
                       std::min<double>(fit.num_topics, kTopicsOfAWord);
  const auto term_of = [&](int rank) {
    const auto i = static_cast<size_t>(rank - 1);
    const double signal = words * probabilities[i];
    const double noise = expected.noise / weights[i];
    return ExpectedTerm{
        .rank = rank, .signal = signal, .noise = noise, .signal_to_noise = signal / noise};
  };
  for (const int rank : RanksToShow(corpus.vocabulary_size)) {
    expected.terms.push_back(term_of(rank));
  }
  expected.judged = term_of(JudgedRank(corpus.vocabulary_size));
  return expected;
}

}  // namespace topicwall::lda
