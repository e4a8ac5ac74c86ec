#include "server/audit/statistics/statistical_bounds.h"

#include <cmath>

namespace topicwall::audit {
namespace {

constexpr int kHalvings = 200;

// a ln(a/b), and 0 for a = 0.
double Term(double a, double b) { return a > 0 ? a * std::log(a / b) : 0; }

double Divergence(double observed, double p) {
  return Term(observed, p) + Term(1 - observed, 1 - p);
}

// The far end of the values of p from `near` on, towards `far`, that chance allows.
double FarEnd(double observed, double far, double most) {
  double plausible = observed;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (plausible + far) / 2;
    (Divergence(observed, middle) <= most ? plausible : far) = middle;
  }
  return far;
}

}  // namespace

Interval RateInterval(int64_t successes, int64_t trials, double x) {
  const double observed = static_cast<double>(successes) / static_cast<double>(trials);
  const double most = x / static_cast<double>(trials);
  return {.low = FarEnd(observed, 0, most), .high = FarEnd(observed, 1, most)};
}

Interval MeanSquareInterval(int64_t n, double x) {
  const double share = x / static_cast<double>(n);
  return {.low = 1 - 2 * std::sqrt(share), .high = 1 + 2 * std::sqrt(share) + 2 * share};
}

double MeanBound(int64_t n, double x) { return std::sqrt(2 * x / static_cast<double>(n)); }

double MeanProductBound(int64_t n, double x) {
  // The least over s of (-ln(1 - s²)/2 + x/n)/s; the function is convex in s on (0, 1).
  const double share = x / static_cast<double>(n);
  const auto bound = [share](double s) { return (share - std::log1p(-s * s) / 2) / s; };
  double low = 0;
  double high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double left = low + (high - low) / 3;
    const double right = high - (high - low) / 3;
    if (bound(left) < bound(right)) {
      high = right;
    } else {
      low = left;
    }
  }
  return bound((low + high) / 2);
}

double NormalBelow(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

double NormalQuantile(double p) {
  double low = -40;
  double high = 40;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (NormalBelow(middle) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double GaussianAdvantage(double mu) { return std::erf(mu / (2 * std::sqrt(2.0))); }

}  // namespace topicwall::audit
