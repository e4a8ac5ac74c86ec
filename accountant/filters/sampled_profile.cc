#include "accountant/filters/sampled_profile.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

constexpr int kIntervals = 32;
constexpr double kNearZero = 0x1p-20;  // of the largest ε

// More than the rounding of a chord: some ten operations.
constexpr double kChordRounding = 1 + 0x1p-46;

// The chord in x = e^ε, not in ε: the curve is convex in the former only, and in ε the chord may
// lie below it.
double Between(const PrivacyParams& left, const PrivacyParams& right, double epsilon) {
  // (e^ε − e^left)/(e^right − e^left), without overflow and rounded towards the higher end.
  const double share = std::exp(epsilon - right.epsilon) * std::expm1(left.epsilon - epsilon) /
                       std::expm1(left.epsilon - right.epsilon);
  const double fall =
      (left.delta - right.delta) * std::clamp(share, 0.0, 1.0) * (2 - kChordRounding);
  return std::min(1.0, (left.delta - fall) * kChordRounding);
}

}  // namespace

absl::StatusOr<SampledProfile> SampledProfile::Of(PrivacyProfile profile, double largest_epsilon) {
  TW_RETURN_IF_ERROR(ValidateEpsilon(largest_epsilon));
  std::vector<PrivacyParams> points;
  double least = 1;
  for (int i = 0; i <= kIntervals; ++i) {
    const double epsilon = largest_epsilon * (i == 0 ? kNearZero : i / double{kIntervals});
    // The curve falls, so what bounded an earlier point bounds this one. NaN counts as 1.
    const double delta = profile(epsilon);
    if (delta <= least) least = std::max(delta, 0.0);
    points.push_back({.epsilon = epsilon, .delta = least});
  }
  return SampledProfile(std::move(points));
}

double SampledProfile::DeltaUpperBound(double epsilon) const {
  if (!(epsilon >= 0)) return 1;
  const auto right = std::upper_bound(
      points_.begin(), points_.end(), epsilon,
      [](double value, const PrivacyParams& point) { return value < point.epsilon; });
  if (right == points_.end()) return points_.back().delta;
  if (right == points_.begin()) {
    // Slope at least −1 in x: going left by e^{ε₁} − e^ε raises the curve by no more than that.
    const double rise = std::exp(epsilon) * std::expm1(right->epsilon - epsilon);
    return std::min(1.0, right->delta + rise * kChordRounding);
  }
  return Between(*(right - 1), *right, epsilon);
}

}  // namespace topicwall::accountant
