// Counts are cumulated first and made monotone afterwards. A bin by itself is mostly noise at the
// outer ends, but a quantile needs only how many units lie below an edge: all of them, against the
// noise of at most 48 bins.
#include "model/lda/denoise/clip_choice.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/lda/denoise/out_of_range.h"
#include "model/lda/math/portable_exp.h"

namespace topicwall::lda {
namespace {

constexpr double kLeastTotal = 5;  // of the total, in deviations of its noise
constexpr double kSmallestEdge = 0.5;
constexpr double kLn2 = 6.93147180559945286227e-01;

// 0.5·2^(bins/6) without libm, for bins in [0, 46].
// PortableExp takes exponents up to 0 only: hence a quotient.
double Edge(double bins) { return kSmallestEdge / PortableExp(-kLn2 / 6 * bins); }

// The rising sequence nearest to x in squares: neighbours that fall are pooled.
std::vector<double> Isotonic(const std::vector<double>& x) {
  struct Pool {
    double sum;
    size_t size;
    double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Pool> pools;
  for (const double value : x) {
    pools.push_back({value, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().size += last.size;
    }
  }
  std::vector<double> rising;
  for (const Pool& pool : pools) rising.insert(rising.end(), pool.size, pool.mean());
  return rising;
}

}  // namespace

absl::StatusOr<double> ChooseClipNorm(const NoisyNormHistogram& histogram, double quantile) {
  const absl::Span<const float> counts = histogram.noisy_counts;
  if (counts.size() != kClipHistogramBins ||
      !std::all_of(counts.begin(), counts.end(), [](float x) { return std::isfinite(x); })) {
    return absl::InvalidArgumentError(absl::StrCat("noisy_counts must be ", kClipHistogramBins,
                                                   " finite numbers; got ", counts.size()));
  }
  if (!(quantile > 0 && quantile < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("quantile must be in (0, 1); got ", quantile, ". 0.4 is usual."));
  }
  if (!(histogram.noise_deviation >= 0 && std::isfinite(histogram.noise_deviation))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "noise_deviation must be finite and at least 0; got ", histogram.noise_deviation));
  }
  std::vector<double> below;  // units with a norm up to each bin's upper edge
  double total = 0;
  for (const float count : counts) below.push_back(total += count);
  // The total is a sum of 48 independent noises.
  const double noise = histogram.noise_deviation * std::sqrt(double{kClipHistogramBins});
  if (!(total > 0 && total > kLeastTotal * noise)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the norm histogram counts ", total, " units with a noise of ", noise,
                     ": nothing can be learned from it. Keep the clip norm."));
  }
  below = Isotonic(below);
  const double wanted = quantile * total;
  size_t bin = 0;
  // Stops before the last bin, which has no upper edge.
  while (bin + 2 < below.size() && below[bin] < wanted) ++bin;
  if (bin == 0) return kSmallestEdge;
  const double before = std::max(below[bin - 1], 0.0);
  const double share = below[bin] > before ? (wanted - before) / (below[bin] - before) : 1;
  return Edge(static_cast<double>(bin - 1) + std::clamp(share, 0.0, 1.0));
}

double ChanceOfNoChoice(double units, double noise_deviation) {
  const double noise = noise_deviation * std::sqrt(double{kClipHistogramBins});
  if (!(noise > 0)) return units > 0 ? 0 : 1;
  return std::erfc((units / noise - kLeastTotal) / std::sqrt(2.0)) / 2;
}

// A document of norm x, spread evenly over K topics, has the norm √(K·(x/K)²) = x/√K.
double FirstClipNorm(int num_topics, int64_t warm_up_iterations, double first_clip_norm) {
  constexpr double kClipNormOfCounts = 3.5;
  if (warm_up_iterations == 0) return first_clip_norm;
  return kClipNormOfCounts / std::sqrt(num_topics);
}

absl::Status CheckClipNorm(double clip_norm) {
  if (clip_norm >= 0x1p-20 && clip_norm <= 0x1p30) return absl::OkStatus();
  return OutOfRange("clip_norm", "in [2^-20, 2^30]", clip_norm);
}

absl::Status CheckDirectionNoise(double direction_noise) {
  if ((direction_noise == 0 && !std::signbit(direction_noise)) ||
      (direction_noise >= 1 && direction_noise <= 16)) {
    return absl::OkStatus();
  }
  return OutOfRange("direction_noise", "0 or in [1, 16]", direction_noise);
}

double NextDirectionNoise(double current, double clip_norm, const LongDocuments& when_long) {
  const bool is_on = current > 0 && when_long.direction_noise > 0;
  const double least = is_on ? kStillLong * when_long.clip_norm : when_long.clip_norm;
  if (clip_norm < least) return 0;
  return is_on ? current : when_long.direction_noise;
}

}  // namespace topicwall::lda
