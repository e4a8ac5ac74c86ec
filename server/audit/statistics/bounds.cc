#include "server/audit/statistics/bounds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace topicwall::audit {
namespace {

// Each leaves two thirds of an interval at most: after so many the ends are neighbouring doubles,
// also close to 0.
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
  // The end that chance does not allow any more, so that rounding makes no interval too small.
  return far;
}

// Distances are counted in steps of 1/nm, in which they are whole numbers.
int64_t StepsBetween(std::vector<double> first, std::vector<double> second) {
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  const auto n = static_cast<int64_t>(first.size());
  const auto m = static_cast<int64_t>(second.size());
  int64_t most = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.size() && j < second.size()) {
    // Equal values are stepped over in both at once: in which order they would stand says nothing.
    const double value = std::min(first[i], second[j]);
    while (i < first.size() && first[i] <= value) ++i;
    while (j < second.size() && second[j] <= value) ++j;
    const int64_t steps = static_cast<int64_t>(i) * m - static_cast<int64_t>(j) * n;
    most = std::max(most, std::abs(steps));
  }
  return most;
}

// That a random path from (0, 0) to (n, m) comes to a point (i, j) with |im - jn| >= steps. The
// last step into (i, j) is one of i + j equally likely values, i of them of the first sample; only
// probabilities of having been there are added, so that small ones lose nothing.
double PathsThatReach(int64_t n, int64_t m, int64_t steps) {
  if (steps <= 0) return 1;
  std::vector<double> reached(static_cast<std::size_t>(m) + 1, 0);  // of row i, by j
  for (int64_t i = 0; i <= n; ++i) {
    for (int64_t j = 0; j <= m; ++j) {
      double& here = reached[static_cast<std::size_t>(j)];
      if (std::abs(i * m - j * n) >= steps) {
        here = 1;
      } else if (i + j > 0) {
        const double left = j > 0 ? reached[static_cast<std::size_t>(j) - 1] : 0;
        here = (static_cast<double>(i) * here + static_cast<double>(j) * left) /
               static_cast<double>(i + j);
      }
    }
  }
  // Each of n + m roundings is within 2^-52; a false alarm is the worse error.
  return std::min(1.0, reached.back() * (1 + 1e-9));
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
    bound(left) < bound(right) ? high = right : low = left;
  }
  return bound((low + high) / 2);
}

double NormalBelow(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

double BinomialWithin(int n, double rate, double off) {
  double within = 0;
  // By logarithms: the coefficients alone are beyond a double from n = 1030 on.
  for (int k = 0; k <= n; ++k) {
    if (std::fabs(k - n * rate) > off) continue;
    within += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                       k * std::log(rate) + (n - k) * std::log1p(-rate));
  }
  return within;
}

TwoSampleTest CompareSamples(std::vector<double> first, std::vector<double> second) {
  const auto n = static_cast<int64_t>(first.size());
  const auto m = static_cast<int64_t>(second.size());
  const int64_t steps = StepsBetween(std::move(first), std::move(second));
  return {.distance = static_cast<double>(steps) / static_cast<double>(n * m),
          .p_value = PathsThatReach(n, m, steps)};
}

double SmallestDistanceSeen(int64_t size, double p) {
  const int64_t most = size * size;
  int64_t unseen = 0;
  // Bisected, as the p-value falls with the distance; beyond nm there is no distance.
  int64_t seen = most + 1;
  while (seen - unseen > 1) {
    const int64_t middle = unseen + (seen - unseen) / 2;
    (PathsThatReach(size, size, middle) <= p ? seen : unseen) = middle;
  }
  return static_cast<double>(seen) / static_cast<double>(most);
}

}  // namespace topicwall::audit
