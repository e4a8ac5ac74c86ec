#include "accountant/accountants/gaussian_mechanism.h"

#include <algorithm>
#include <cmath>

#include "accountant/accountants/bracketed_search.h"
#include "accountant/events/privacy_params.h"

namespace topicwall::accountant {

double LogNormalCdf(double x) {
  if (x > -37) return std::log(0.5 * std::erfc(-x * M_SQRT1_2));
  // erfc underflows here; the tail's asymptotic series is exact to 2e-15 from −37 on.
  const double y = 1 / (x * x);
  const double series = 1 - y * (1 - y * (3 - y * (15 - y * (105 - y * 945))));
  return -0.5 * x * x - std::log(-x * std::sqrt(2 * M_PI)) + std::log(series);
}

namespace {

constexpr double kEpsilonTolerance = 0x1p-52;  // of an ε that is large enough

// Of a term of Φ's argument; more than its roundings, and that of μ.
constexpr double kOfATerm = 0x1p-50;

// δ(ε) with Φ(μ/2 − ε/μ) times `rounding` errors of its parts added; from below 0, and from above
// that Φ alone, where rounding may be all that their difference is.
double GaussianDelta(double epsilon, double noise_multiplier, double rounding) {
  const double mu = 1 / noise_multiplier;
  const double log_with = LogNormalCdf(mu / 2 - epsilon / mu);
  const double log_without = epsilon + LogNormalCdf(-mu / 2 - epsilon / mu);
  // An argument x of Φ off by a rounding moves log Φ by x times that; x ≤ ε/μ + μ/2.
  const double argument = epsilon / mu + mu / 2;
  const double error = kOfATerm * (2 + argument * argument + epsilon);
  // Times e^error, which is no longer nearly 1 + error.
  if (!(error <= 0.5)) {
    if (rounding < 0) return 0;
    const double largest = mu / 2 * (1 + kOfATerm) - epsilon / mu * (1 - kOfATerm);
    const double delta = std::exp(LogNormalCdf(largest)) * (1 + 0x1p-30);
    return delta < 1 ? delta : 1;
  }
  const double delta = std::exp(log_with) * (rounding * error - std::expm1(log_without - log_with));
  return std::clamp(delta, 0.0, 1.0);
}

// δ(ε) ≤ Φ(μ/2 − ε/μ) ≤ exp(−(ε/μ − μ/2)²/2) to the right of μ²/2: an ε that is large enough.
double LargeEnough(double delta, double noise_multiplier) {
  const double mu = 1 / noise_multiplier;
  return (mu * mu / 2 + mu * std::sqrt(-2 * std::log(delta))) * (1 + kOfATerm);
}

}  // namespace

double GaussianDeltaUpperBound(double epsilon, double noise_multiplier) {
  return std::max(GaussianDelta(epsilon, noise_multiplier, 1), kSmallestDelta);
}

double GaussianDeltaLowerBound(double epsilon, double noise_multiplier) {
  const double delta = GaussianDelta(epsilon, noise_multiplier, -1);
  return delta < kSmallestDelta ? 0 : delta;
}

double GaussianEpsilonUpperBound(double delta, double noise_multiplier) {
  if (delta >= 1 || GaussianDeltaUpperBound(0, noise_multiplier) <= delta) return 0;
  const double high = LargeEnough(delta, noise_multiplier);
  if (!std::isfinite(high)) return high;
  const auto excess = [&](double epsilon) {
    return LogExcess(GaussianDeltaUpperBound(epsilon, noise_multiplier), delta);
  };
  return CloseIn({.refused = {.at = 0, .excess = excess(0)},
                  .fits = {.at = high, .excess = -kInfinity},
                  .tolerance = kEpsilonTolerance * high},
                 excess);
}

double GaussianEpsilonLowerBound(double delta, double noise_multiplier) {
  if (!(GaussianDeltaLowerBound(0, noise_multiplier) >= delta)) return 0;
  const double high = LargeEnough(delta, noise_multiplier);
  // No ε is below 0, so this is a bound; from above infinity is the one that always holds.
  if (!std::isfinite(high)) return 0;
  // Here what fits is an ε that is small enough.
  const auto excess = [&](double epsilon) {
    return LogExcess(delta, GaussianDeltaLowerBound(epsilon, noise_multiplier));
  };
  return CloseIn({.refused = {.at = high, .excess = kInfinity},
                  .fits = {.at = 0, .excess = excess(0)},
                  .tolerance = kEpsilonTolerance * high},
                 excess);
}

double ClassicalGaussianEpsilon(double delta, double noise_multiplier) {
  // A δ that sampling has divided by ν may be above 1, where the logarithm would turn negative.
  return std::sqrt(2 * std::log(1.25 / std::min(delta, 1.0))) / noise_multiplier;
}

}  // namespace topicwall::accountant
