#include "accountant/attack_bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/status_macros.h"

namespace topicwall::accountant {
namespace {

constexpr int kGridPoints = 257;

std::vector<PrivacyParams> Curve(PrivacyProfile profile, double largest_epsilon) {
  std::vector<PrivacyParams> curve;
  curve.reserve(kGridPoints);
  for (int i = 0; i < kGridPoints; ++i) {
    const double epsilon = 2 * largest_epsilon * i / (kGridPoints - 1);
    // NaN, too, counts as "no guarantee".
    const double delta = profile(epsilon);
    curve.push_back({.epsilon = epsilon, .delta = delta <= 1 ? std::max(delta, 0.0) : 1.0});
  }
  return curve;
}

double GuessAtEvenOdds(const std::vector<PrivacyParams>& curve) {
  double best = 1;
  for (const PrivacyParams& point : curve) {
    const double odds = std::exp(-point.epsilon);
    best = std::min(best, (1 + point.delta * odds) / (1 + odds));
  }
  return best;
}

double TruePositives(const std::vector<PrivacyParams>& curve, double false_positive_rate) {
  double best = 1;
  for (const PrivacyParams& point : curve) {
    best = std::min(best, std::exp(point.epsilon) * false_positive_rate + point.delta);
    best = std::min(best, 1 - std::exp(-point.epsilon) * (1 - false_positive_rate - point.delta));
  }
  return best;
}

}  // namespace

absl::StatusOr<AttackBounds> BoundAttacks(PrivacyProfile profile, double largest_epsilon) {
  TW_RETURN_IF_ERROR(ValidateEpsilon(largest_epsilon));
  const std::vector<PrivacyParams> curve = Curve(profile, largest_epsilon);
  return AttackBounds{.guess_at_even_odds = GuessAtEvenOdds(curve),
                      .true_positives_at_fpr_10_percent = TruePositives(curve, 0.1),
                      .true_positives_at_fpr_1_percent = TruePositives(curve, 0.01),
                      .true_positives_at_fpr_0_1_percent = TruePositives(curve, 0.001)};
}

absl::StatusOr<double> TruePositiveRateUpperBound(PrivacyProfile profile, double largest_epsilon,
                                                  double false_positive_rate) {
  TW_RETURN_IF_ERROR(ValidateEpsilon(largest_epsilon));
  if (!(false_positive_rate >= 0 && false_positive_rate <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("false_positive_rate must be in [0, 1]; got ", false_positive_rate, "."));
  }
  return TruePositives(Curve(profile, largest_epsilon), false_positive_rate);
}

absl::StatusOr<PrivacyParams> ReplaceOne(const PrivacyParams& include_exclude) {
  TW_RETURN_IF_ERROR(Validate(include_exclude));
  const double delta = (1 + std::exp(include_exclude.epsilon)) * include_exclude.delta;
  return PrivacyParams{.epsilon = 2 * include_exclude.epsilon, .delta = std::min(delta, 1.0)};
}

}  // namespace topicwall::accountant
