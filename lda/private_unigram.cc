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

}  // namespace

absl::StatusOr<std::vector<double>> PrivateUnigram(const NoisyCounts& counts) {
  const size_t terms = counts.noisy_counts.size();
  const std::vector<float> deviations(terms, static_cast<float>(counts.noise_deviation));
  const NoisyTopics noisy = {.num_topics = 1,
                             .vocabulary_size = static_cast<int>(terms),
                             .values = counts.noisy_counts,
                             .noise_deviations = deviations};
  if (absl::Status status = CheckNoisyTopics(noisy); !status.ok()) return status;
  const double sum = FastestArrayMath().sum(counts.noisy_counts.data(), terms);
  const double deviation = counts.noise_deviation * std::sqrt(static_cast<double>(terms));
  if (!(sum > kLeastSignal * deviation)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the counts add up to ", sum, " words with a noise of ", deviation,
        ": no unigram can be told from noise. Spend more on it, or use a larger corpus."));
  }
  const std::vector<double> flat(terms, 1.0 / static_cast<double>(terms));
  const absl::StatusOr<DenoisedTopics> denoised =
      Denoise(noisy, flat, {.ratios = PowersOfTwo(-8, 6), .em_iterations = 100});
  if (!denoised.ok()) return denoised.status();
  std::vector<double> probabilities;
  double total = 0;
  for (const float mean : denoised->means) {
    probabilities.push_back(mean + kLeastShare * sum / static_cast<double>(terms));
    total += probabilities.back();
  }
  for (double& p : probabilities) p /= total;
  return probabilities;
}

}  // namespace topicwall::lda
