#include "accountant/events/dp_event.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace topicwall::accountant {
namespace {

// Relative error of k squares, k additions, a root and a division is below (k + 4)·2⁻⁵².
double EffectiveNoiseMultiplierLowerBound(const std::vector<double>& multipliers) {
  const double smallest = *std::min_element(multipliers.begin(), multipliers.end());
  // Nothing is rounded for one statistic: its price is that of the σ it was asked with, to the last
  // bit.
  if (multipliers.size() == 1) return smallest;
  double sum = 0;  // of (smallest / σ_i)², each at most 1: nothing over- or underflows
  for (const double multiplier : multipliers) {
    const double ratio = smallest / multiplier;
    sum += ratio * ratio;
  }
  const double slack =
      static_cast<double>(multipliers.size() + 4) * std::numeric_limits<double>::epsilon();
  return std::max(smallest / std::sqrt(sum) * (1 - slack), std::numeric_limits<double>::min());
}

}  // namespace

absl::StatusOr<SubsampledGaussian> SubsampledGaussian::Create(const Params& params) {
  if (!(params.sampling_rate > 0 && params.sampling_rate <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat("sampling_rate must be in (0, 1]; got ",
                                                   params.sampling_rate, ". 1 takes every unit."));
  }
  if (params.noise_multipliers.empty()) {
    return absl::InvalidArgumentError(
        "noise_multipliers must name at least one statistic; got none. A release without noise "
        "has no finite price.");
  }
  // Denormal ones, too, are refused: their reciprocals may be infinite.
  for (const double multiplier : params.noise_multipliers) {
    if (!(multiplier >= std::numeric_limits<double>::min()) || !std::isfinite(multiplier)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "noise_multiplier must be finite and > 0; got ", multiplier, ". Ask for more noise."));
    }
  }
  const double effective = EffectiveNoiseMultiplierLowerBound(params.noise_multipliers);
  if (!(effective <= kMostNoise)) {
    return absl::InvalidArgumentError(absl::StrCat("noise_multiplier must be at most ", kMostNoise,
                                                   "; got ", effective, ". Ask for less noise."));
  }
  return SubsampledGaussian(params.sampling_rate, effective);
}

absl::Status ValidateCount(int64_t count) {
  if (!(count >= 0 && count <= kMostReleases)) {
    return absl::InvalidArgumentError(
        absl::StrCat("count must be in [0, ", kMostReleases, "]; got ", count, "."));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::accountant
