#include "model/lda/denoise/prior/term_coupling.h"

#include <algorithm>

#include "model/lda/denoise/prior/entry_mixture.h"

namespace topicwall::lda {
namespace {

// How much more often than by chance related entries have the same ratio, to begin with.
constexpr double kAlikeAtFirst = 3;
// Samples of terms that have nothing in common, added to each kind's.
constexpr double kPseudoSamples = 5;

// What the samples say of how often two ratios come together, by R as it stands: J×J, with a sum of
// their number.
std::vector<double> ExpectedCounts(absl::Span<const float> samples, absl::Span<const double> r,
                                   std::size_t ratios) {
  std::vector<double> counts(r.size(), 0), joint(r.size());
  for (std::size_t at = 0; at < samples.size(); at += 2 * ratios) {
    const float* const one = samples.data() + at;
    const float* const other = one + ratios;
    double sum = 0;
    for (std::size_t j = 0; j < ratios; ++j) {
      for (std::size_t h = 0; h < ratios; ++h) {
        joint[j * ratios + h] = r[j * ratios + h] * one[j] * other[h];
        sum += joint[j * ratios + h];
      }
    }
    const double factor = 1 / sum;
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += joint[i] * factor;
  }
  return counts;
}

// R of the counts: neither of two related terms is the first.
std::vector<double> CouplingOf(const std::vector<double>& counts, std::size_t ratios) {
  double samples = 0;
  for (const double count : counts) samples += count;
  std::vector<double> share(ratios, 1.0);  // of each ratio, with a pseudo-entry
  for (std::size_t j = 0; j < ratios; ++j) {
    for (std::size_t h = 0; h < ratios; ++h) {
      share[j] += (counts[j * ratios + h] + counts[h * ratios + j]) / 2;
    }
  }
  for (double& s : share) s /= samples + static_cast<double>(ratios);
  std::vector<double> r(counts.size());
  for (std::size_t j = 0; j < ratios; ++j) {
    for (std::size_t h = 0; h < ratios; ++h) {
      const double by_chance = share[j] * share[h];
      const double together = (counts[j * ratios + h] + counts[h * ratios + j]) / 2;
      r[j * ratios + h] =
          (together + kPseudoSamples * by_chance) / ((samples + kPseudoSamples) * by_chance);
    }
  }
  return r;
}

}  // namespace

void CouplingSamples::Add(absl::Span<const double> one, absl::Span<const double> other) {
  for (const absl::Span<const double> belief : {one, other}) {
    for (const double b : belief) beliefs_.push_back(static_cast<float>(b));
  }
}

TermCoupling TermCoupling::Fit(const CouplingSamples& samples, int iterations) {
  const std::size_t ratios = samples.num_ratios();
  std::vector<double> r(ratios * ratios, 1);
  if (samples.beliefs().empty()) return TermCoupling(std::move(r));
  for (std::size_t j = 0; j < ratios; ++j) r[j * ratios + j] = kAlikeAtFirst;
  for (int i = 0; i < iterations; ++i) {
    r = CouplingOf(ExpectedCounts(samples.beliefs(), r, ratios), ratios);
  }
  return TermCoupling(std::move(r));
}

void TermCoupling::Multiply(absl::Span<const double> belief, absl::Span<double> message) const {
  const std::size_t ratios = message.size();
  double sums[kMostRatios] = {};
  for (std::size_t h = 0; h < ratios; ++h) {
    const double* const row = r_.data() + h * ratios;  // and column: R is symmetric
    for (std::size_t j = 0; j < ratios; ++j) sums[j] += row[j] * belief[h];
  }
  double largest = 0;
  for (std::size_t j = 0; j < ratios; ++j) {
    message[j] *= sums[j];
    largest = std::max(largest, message[j]);
  }
  // Only ratios matter; without this the factors of many relations would underflow.
  const double factor = 1 / largest;
  for (double& m : message) m *= factor;
}

}  // namespace topicwall::lda
