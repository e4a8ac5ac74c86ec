// SampledProfile: a whole privacy profile from a few of its points.
//
//   TW_ASSIGN_OR_RETURN(const SampledProfile profile, SampledProfile::Of(
//       [&](double epsilon) { return inventory.DeltaUpperBound(epsilon); }, 4 * budget.epsilon));
//   profile.DeltaUpperBound(1.3);
//
// Where one point costs a composition, the hundreds that bounding an attacker takes are read off
// between them. The true curve is ∫ (p − e^ε q)⁺, the largest over both directions: convex in
// x = e^ε, falling, and with slope at least −1. So the chord between two upper bounds is an upper
// bound between them; left of the first point x₁ at most δ₁ + (x₁ − x); right of the last, δ of the
// last. Rounded up. Units: ε in nats, δ a probability, upper bounds. PUBLIC, immutable.
#ifndef TOPICWALL_ACCOUNTANT_FILTERS_SAMPLED_PROFILE_H_
#define TOPICWALL_ACCOUNTANT_FILTERS_SAMPLED_PROFILE_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "accountant/events/privacy_params.h"
#include "accountant/filters/attack_bounds.h"

namespace topicwall::accountant {

class SampledProfile {
 public:
  // Asks `profile` for 33 values of ε > 0, the first near 0, the others evenly up to
  // largest_epsilon. INVALID_ARGUMENT unless that is finite and > 0.
  static absl::StatusOr<SampledProfile> Of(PrivacyProfile profile, double largest_epsilon);

  // 1 for a negative epsilon or NaN.
  double DeltaUpperBound(double epsilon) const;

 private:
  explicit SampledProfile(std::vector<PrivacyParams> points) : points_(std::move(points)) {}

  std::vector<PrivacyParams> points_;  // by increasing epsilon
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_FILTERS_SAMPLED_PROFILE_H_
