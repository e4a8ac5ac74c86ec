#include "model/lda/denoise/prior/entry_mixture.h"

#include <algorithm>

#include "model/lda/math/array_math_choice.h"

namespace topicwall::lda {
namespace {

// A component's mean is at least this many noise deviations: a smaller one is nothing as well, and
// z stays finite.
constexpr double kSmallestMean = 1e-9;

}  // namespace

EntryMixture::EntryMixture(absl::Span<const double> ratios) : ratios_(ratios) {
  for (const double ratio : ratios) {
    // array_math.h takes normal positive numbers only, which these are.
    log_ratios_.push_back(FastestArrayMath().log(ratio));
  }
}

void EntryMixture::Read(const NoisyEntry& entry, float* likelihoods,
                        TruncatedNormal* components) const {
  double logs[kMostRatios];
  for (std::size_t j = 0; j < size(); ++j) {
    const double mean = std::max(ratios_[j] * entry.base / entry.tau, kSmallestMean);
    components[j] = TruncatedNormalAt(entry.y / entry.tau - 1 / mean);
    // ln of the density Φ(z)e^{z²/2}/μ, up to e^{−y²/2τ²}, which all components share, as they do
    // M·p/τ of μ/τ = R·M·p/τ.
    logs[j] = components[j].log_mass - log_ratios_[j];
  }
  const double largest = *std::max_element(logs, logs + size());
  for (std::size_t j = 0; j < size(); ++j) logs[j] -= largest;
  FastestArrayMath().exp(logs, size(), likelihoods);
}

}  // namespace topicwall::lda
