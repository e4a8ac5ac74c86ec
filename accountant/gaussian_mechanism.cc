#include "accountant/gaussian_mechanism.h"

#include <algorithm>
#include <cmath>

namespace topicwall::accountant {

double LogNormalCdf(double x) {
  if (x > -37) return std::log(0.5 * std::erfc(-x * M_SQRT1_2));
  // erfc underflows here; the tail's asymptotic series is exact to 2e-15 from −37 on.
  const double y = 1 / (x * x);
  const double series = 1 - y * (1 - y * (3 - y * (15 - y * (105 - y * 945))));
  return -0.5 * x * x - std::log(-x * std::sqrt(2 * M_PI)) + std::log(series);
}

double GaussianDeltaUpperBound(double epsilon, double noise_multiplier) {
  const double mu = 1 / noise_multiplier;
  const double log_with = LogNormalCdf(mu / 2 - epsilon / mu);
  const double log_without = epsilon + LogNormalCdf(-mu / 2 - epsilon / mu);
  // An argument x of Φ off by a rounding moves log Φ by x times that; x ≤ ε/μ + μ/2.
  const double argument = epsilon / mu + mu / 2;
  const double error = 0x1p-50 * (2 + argument * argument + epsilon);
  const double delta = std::exp(log_with) * (error - std::expm1(log_without - log_with));
  return std::clamp(delta, 0.0, 1.0);
}

double GaussianEpsilonUpperBound(double delta, double noise_multiplier) {
  if (delta >= 1 || GaussianDeltaUpperBound(0, noise_multiplier) <= delta) return 0;
  const double mu = 1 / noise_multiplier;
  // δ(ε) ≤ Φ(μ/2 − ε/μ) ≤ exp(−(ε/μ − μ/2)²/2) to the right of μ²/2.
  double high = mu * mu / 2 + mu * std::sqrt(-2 * std::log(delta));
  if (!std::isfinite(high)) return high;
  double low = 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (GaussianDeltaUpperBound(middle, noise_multiplier) <= delta ? high : low) = middle;
  }
  return high;
}

double ClassicalGaussianEpsilon(double delta, double noise_multiplier) {
  return std::sqrt(2 * std::log(1.25 / std::min(delta, 1.0))) / noise_multiplier;
}

}  // namespace topicwall::accountant
