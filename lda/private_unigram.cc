#include "lda/private_unigram.h"

#include <cmath>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lda/array_math_choice.h"
#include "lda/noise_denoiser.h"
#include "lda/noisy_topics.h"

namespace topicwall::lda {
namespace {

constexpr double kLeastSignal = 5;  // of the sum, in deviations of its noise
// A term that is exactly absent still gets this share of the average count, so that p_v > 0.
constexpr double kLeastShare = 1e-6;

std::vector<double> PowersOfTwo(int first, int last) {
  std::vector<double> powers;
  for (int e = first; e <= last; ++e) powers.push_back(std::ldexp(1.0, e));
  return powers;
}

// Counts of terms with a noise each.
struct TermCounts {
  std::vector<float> counts;
  std::vector<float> deviations;

  NoisyTopics AsOneTopic() const {
    return {.num_topics = 1,
            .vocabulary_size = static_cast<int>(counts.size()),
            .values = counts,
            .noise_deviations = deviations};
  }
};

TermCounts Take(const NoisyCounts& counts) {
  const size_t terms = counts.noisy_counts.size();
  return {.counts = {counts.noisy_counts.begin(), counts.noisy_counts.end()},
          .deviations = std::vector<float>(terms, static_cast<float>(counts.noise_deviation))};
}

// Σ of all entries, if it stands out from its noise.
absl::StatusOr<double> SumOf(const NoisyTopics& noisy) {
  if (absl::Status status = CheckNoisyTopics(noisy); !status.ok()) return status;
  double variance = 0;
  for (const float deviation : noisy.noise_deviations) variance += double{deviation} * deviation;
  const double sum = FastestArrayMath().sum(noisy.values.data(), noisy.values.size());
  const double noise = std::sqrt(noisy.num_topics * variance);
  if (sum > kLeastSignal * noise) return sum;
  return absl::FailedPreconditionError(
      absl::StrCat("the counts add up to ", sum, " words with a noise of ", noise,
                   ": no unigram can be told from noise. Spend more on it, or use a larger "
                   "corpus."));
}

absl::StatusOr<std::vector<double>> UnigramOf(const TermCounts& counts) {
  absl::StatusOr<double> sum = SumOf(counts.AsOneTopic());
  if (!sum.ok()) return sum.status();
  const auto terms = static_cast<double>(counts.counts.size());
  const std::vector<double> flat(counts.counts.size(), 1.0 / terms);
  const absl::StatusOr<DenoisedTopics> denoised =
      Denoise(counts.AsOneTopic(), flat, {.ratios = PowersOfTwo(-8, 6), .em_iterations = 100});
  if (!denoised.ok()) return denoised.status();
  std::vector<double> probabilities;
  double total = 0;
  for (const float mean : denoised->means) {
    probabilities.push_back(mean + kLeastShare * *sum / terms);
    total += probabilities.back();
  }
  for (double& p : probabilities) p /= total;
  return probabilities;
}

}  // namespace

absl::StatusOr<std::vector<double>> PrivateUnigram(const NoisyCounts& counts) {
  return UnigramOf(Take(counts));
}

absl::StatusOr<std::vector<double>> RefinedUnigram(const NoisyCounts& counts,
                                                   const NoisyTopics& topics) {
  TermCounts both = Take(counts);
  if (both.AsOneTopic().vocabulary_size != topics.vocabulary_size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "counts are of ", both.counts.size(), " terms and topics of ", topics.vocabulary_size));
  }
  const absl::StatusOr<double> first = SumOf(both.AsOneTopic()), second = SumOf(topics);
  if (!first.ok()) return first.status();
  if (!second.ok()) return second.status();
  const size_t terms = both.counts.size();
  for (size_t v = 0; v < terms; ++v) {
    double column = 0;
    for (size_t i = v; i < topics.values.size(); i += terms) column += topics.values[i];
    // The second reading in words of the first, so that the numbers stay what one knows.
    const double scale = *first / *second;
    const double s = both.deviations[v];
    const double t = scale * topics.noise_deviations[v] * std::sqrt(topics.num_topics);
    const double squares = s * s + t * t;
    const double weight = squares > 0 ? t * t / squares : 0.5;
    both.counts[v] = static_cast<float>(weight * both.counts[v] + (1 - weight) * scale * column);
    both.deviations[v] = static_cast<float>(squares > 0 ? s * t / std::sqrt(squares) : 0);
  }
  return UnigramOf(both);
}

}  // namespace topicwall::lda
