#include "accountant/filters/attack_bounds.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/accountants/bracketed_search.h"
#include "accountant/events/privacy_params.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

constexpr double kUpward = 1 + 0x1p-40;  // pays for e^x of an x ≤ 710 off by a rounding
constexpr int kCurvePoints = 257;
constexpr int kMostUnits = 1000;
constexpr int kScan = 64;
constexpr double kRefinement = 0x1p-30;  // of a step of the scan

std::vector<PrivacyParams> Curve(PrivacyProfile profile, double largest_epsilon) {
  std::vector<PrivacyParams> curve;
  curve.reserve(kCurvePoints);
  for (int i = 0; i < kCurvePoints; ++i) {
    const double epsilon = 2 * largest_epsilon * i / (kCurvePoints - 1);
    // NaN, too, counts as "no guarantee".
    const double delta = profile(epsilon);
    curve.push_back({.epsilon = epsilon, .delta = delta <= 1 ? std::max(delta, 0.0) : 1.0});
  }
  return curve;
}

double GuessAtEvenOdds(const std::vector<PrivacyParams>& curve) {
  double best = 1;
  for (const PrivacyParams& point : curve) {
    // (e^ε + δ)/(1 + e^ε), over e^ε: nothing overflows.
    const double odds = std::exp(-point.epsilon);
    best = std::min(best, (1 + point.delta * odds) / (1 + odds));
  }
  return best;
}

double TruePositives(const std::vector<PrivacyParams>& curve, double false_positive_rate) {
  double best = 1;
  for (const PrivacyParams& point : curve) {
    // Both directions of the definition, each of which bounds every test.
    best = std::min(best, std::exp(point.epsilon) * false_positive_rate + point.delta);
    best = std::min(best, 1 - std::exp(-point.epsilon) * (1 - false_positive_rate - point.delta));
  }
  return best;
}

absl::Status ValidateUnits(int units) {
  if (!(units >= 1 && units <= kMostUnits)) {
    return absl::InvalidArgumentError(
        absl::StrCat("units must be in [1, ", kMostUnits, "]; got ", units, "."));
  }
  return absl::OkStatus();
}

// The chain of steps ε_i = first · ratio^i: what it guarantees together, rounded up.
PrivacyParams Chain(PrivacyProfile profile, int units, double first, double ratio) {
  // Pays for the roundings of as many exponentials, products and sums.
  const double upward = 1 + units * 0x1p-40;
  PrivacyParams chain = {.epsilon = 0, .delta = 0};
  double step = first;
  for (int i = 0; i < units; ++i) {
    chain.delta += std::exp(chain.epsilon) * profile(step) * upward;
    if (!(chain.delta <= 1)) return {.epsilon = chain.epsilon, .delta = 1};
    chain.epsilon += step;
    step *= ratio;
  }
  return {.epsilon = chain.epsilon * upward, .delta = chain.delta};
}

// The least ε found for steps in geometric progression, none above largest_epsilon.
double GroupEpsilonAt(PrivacyProfile profile, const GroupQuestion& question, double ratio) {
  const auto chain = [&](double first) { return Chain(profile, question.units, first, ratio); };
  // The last step is the largest if steps grow. Beyond largest_epsilon a profile need not say much.
  const double largest_first =
      question.largest_epsilon / std::max(std::pow(ratio, question.units - 1), 1.0);
  // A longer first step need not mean a smaller δ: the first that fits is looked for, then refined.
  int i = 1;
  while (i <= kScan && !(chain(largest_first * i / kScan).delta <= question.delta)) ++i;
  if (i > kScan) return kInfinity;
  const double fitting =
      CloseIn({.refused = {.at = largest_first * (i - 1) / kScan, .excess = kInfinity},
               .fits = {.at = largest_first * i / kScan, .excess = -kInfinity},
               .tolerance = largest_first / kScan * kRefinement},
              [&](double first) { return LogExcess(chain(first).delta, question.delta); });
  return chain(fitting).epsilon;
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

absl::StatusOr<std::vector<TradeOffPoint>> TradeOffCurve(
    PrivacyProfile profile, double largest_epsilon, absl::Span<const double> false_positive_rates) {
  TW_RETURN_IF_ERROR(ValidateEpsilon(largest_epsilon));
  for (const double rate : false_positive_rates) {
    if (!(rate >= 0 && rate <= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("false_positive_rate must be in [0, 1]; got ", rate, "."));
    }
  }
  const std::vector<PrivacyParams> curve = Curve(profile, largest_epsilon);
  std::vector<TradeOffPoint> points;
  for (const double rate : false_positive_rates) {
    points.push_back(
        {.false_positive_rate = rate, .true_positive_rate = TruePositives(curve, rate)});
  }
  return points;
}

double WorstDelta(const PrivacyParams& params, double at) {
  if (!(at < params.epsilon)) return params.delta;
  // (e^ε − e^at)/(1 + e^ε) without overflow.
  const double gap = -std::expm1(at - params.epsilon) / (1 + std::exp(-params.epsilon));
  return std::min(1.0, (params.delta + (1 - params.delta) * gap) * kUpward);
}

absl::StatusOr<AttackBounds> BoundAttacks(const PrivacyParams& params) {
  TW_RETURN_IF_ERROR(Validate(params));
  return BoundAttacks([&](double at) { return WorstDelta(params, at); }, params.epsilon);
}

absl::StatusOr<PrivacyParams> GroupOf(const PrivacyParams& include_exclude, int units) {
  TW_RETURN_IF_ERROR(Validate(include_exclude));
  TW_RETURN_IF_ERROR(ValidateUnits(units));
  if (units == 1) return include_exclude;
  const double epsilon = include_exclude.epsilon;
  double group_epsilon = units * epsilon;
  // The product was rounded down: a bound must not be.
  if (std::fma(units, epsilon, -group_epsilon) > 0) {
    group_epsilon = std::nextafter(group_epsilon, kInfinity);
  }
  const double chains = std::expm1(group_epsilon) / std::expm1(epsilon);
  // NaN, of two infinities, bounds nothing.
  const double delta = include_exclude.delta * chains * kUpward;
  return PrivacyParams{.epsilon = group_epsilon, .delta = delta <= 1 ? delta : 1.0};
}

absl::StatusOr<double> GroupEpsilonUpperBound(PrivacyProfile profile,
                                              const GroupQuestion& question) {
  TW_RETURN_IF_ERROR(ValidateEpsilon(question.largest_epsilon));
  TW_RETURN_IF_ERROR(ValidateDelta(question.delta));
  TW_RETURN_IF_ERROR(ValidateUnits(question.units));
  double least = kInfinity;
  double best_ratio = 1;
  const auto try_ratio = [&](double ratio) {
    const double epsilon = GroupEpsilonAt(profile, question, ratio);
    if (!(epsilon < least)) return;
    least = epsilon;
    best_ratio = ratio;
  };
  try_ratio(1);
  if (question.units == 1 || least == kInfinity) return least;
  // Later steps weigh more, so they should be larger.
  for (double change = 0.5; change > 0.01; change /= 2) {
    const double middle = best_ratio;
    try_ratio(middle * (1 + change));
    // The other side, if this one was no better; never below steps that are all alike.
    if (best_ratio == middle && middle > 1) try_ratio(middle / (1 + change));
  }
  return least;
}

}  // namespace topicwall::accountant
