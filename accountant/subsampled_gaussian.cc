#include "accountant/subsampled_gaussian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace topicwall::accountant {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kRounding = std::numeric_limits<double>::epsilon();
constexpr double kLogSqrtTwoPi = 0.91893853320467274178;

constexpr double kPointsPerWidth = 5;      // step = min(1, σ) / this
constexpr double kTrapezoidError = 4e-37;  // × (A_a + 1 + 2a); see the header
constexpr double kTailStandardDeviations = 12;
constexpr double kMostPoints = 1 << 17;

// Running sum of e^{terms}, rescaled as larger terms come, so that neither end of the range of a
// double is ever met.
class LogSum {
 public:
  void Add(double log_term) {
    if (log_term == -kInfinity) return;
    if (log_term > shift_) {
      sum_ = sum_ * std::exp(shift_ - log_term) + 1;
      shift_ = log_term;
    } else {
      sum_ += std::exp(log_term - shift_);
    }
  }
  double Log() const { return sum_ > 0 ? shift_ + std::log(sum_) : -kInfinity; }

 private:
  double shift_ = -kInfinity;
  double sum_ = 0;
};

// ((1+x)^a − 1 − a x) / (a(a−1)L²) for L = log(1+x) with a|L| ≤ 1/2, by its power series
// Σ_{k≥2} s_k L^{k−2}/k!, s_k = (a^{k−1} − 1)/(a − 1): no cancellation as a → 1 or L → 0.
double RemainderSeries(double order, double log_ratio) {
  double sum = 0;
  double power = 0.5;  // L^{k−2}/k!
  double s = 1;
  double order_power = order;  // a^{k−1}
  for (int k = 2; k < 20; ++k) {
    sum += s * power;
    s += order_power;
    order_power *= order;
    power *= log_ratio / (k + 1);
  }
  return sum;
}

// log[(1+x)^a − 1 − a x], a > 1, from L = log(1+x) and x. With b = a − 1 the remainder is
// e^L expm1(bL) − b expm1(L), whose two terms are both of size b: a → 1 loses nothing.
double LogRemainder(double order, double log_ratio, double x) {
  const double b = order - 1;
  if (log_ratio == 0) return -kInfinity;
  if (order * std::abs(log_ratio) <= 0.5) {
    return std::log(order * b * RemainderSeries(order, log_ratio)) +
           2 * std::log(std::abs(log_ratio));
  }
  if (log_ratio < 0) return std::log(std::exp(log_ratio) * std::expm1(b * log_ratio) - b * x);
  if (b * log_ratio > 40) {
    return order * log_ratio +
           std::log1p(-std::exp(-b * log_ratio) * (order - b * std::exp(-log_ratio)));
  }
  return log_ratio + std::log(std::expm1(b * log_ratio) + b * std::expm1(-log_ratio));
}

struct Mixture {
  double sampling_rate;
  double sigma;

  double ShiftExponent(double u) const { return u / sigma - 0.5 / sigma / sigma; }
};

// log E[(1+x)^a − 1 − a x] from above, but for the trapezoidal error.
double LogExpectedRemainder(const Mixture& mixture, double order) {
  const double step = std::min(1.0, mixture.sigma) / kPointsPerWidth;
  // The integrand peaks between 0 and a/σ. Beyond these ends its logarithm falls faster than
  // 10 per unit of u, so the value at an end bounds the whole tail behind it.
  const double low = -kTailStandardDeviations;
  const double high = (order + 2) / mixture.sigma + kTailStandardDeviations;
  const int64_t points = static_cast<int64_t>((high - low) / step) + 2;
  const auto log_integrand = [&](double u) {
    const double log_ratio = LogMixtureRatio(mixture.sampling_rate, mixture.ShiftExponent(u));
    return -0.5 * u * u - kLogSqrtTwoPi + LogRemainder(order, log_ratio, std::expm1(log_ratio));
  };
  LogSum sum;
  for (int64_t i = 0; i < points; ++i) {
    sum.Add(log_integrand(low + static_cast<double>(i) * step));
  }
  const double end = low + static_cast<double>(points - 1) * step;
  sum.Add(log_integrand(low) - std::log(step));
  sum.Add(log_integrand(end) - std::log(step));
  // Rounding: of the sum, and of exponents as large as the largest that entered one.
  const double largest_exponent =
      0.5 * end * end + order * (end / mixture.sigma + 0.5 / mixture.sigma / mixture.sigma);
  const double relative_error =
      kRounding * (2 * static_cast<double>(points) + 64 + 4 * largest_exponent);
  return sum.Log() + std::log(step) + relative_error;
}

// log1p(e^{log_remainder} + trapezoidal error), rounded up, never 0.
double LogOnePlusUpperBound(double log_remainder, double order) {
  const double trapezoid = kTrapezoidError * (3 + 2 * order);
  double result;
  if (log_remainder > 0) {
    result = log_remainder + std::log1p(std::exp(-log_remainder)) + trapezoid;
  } else {
    result = std::log1p(std::exp(log_remainder) * (1 + kTrapezoidError) + trapezoid);
  }
  return std::max(result * (1 + 8 * kRounding), std::numeric_limits<double>::min());
}

}  // namespace

double LogMixtureRatio(double sampling_rate, double t) {
  if (sampling_rate == 1) return t;
  if (t > 700) {
    return t + std::log(sampling_rate) +
           std::log1p((1 - sampling_rate) * std::exp(-t) / sampling_rate);
  }
  const double x = sampling_rate * std::expm1(t);
  // Near total sampling 1 + x would cancel; 1 − ν is exact there.
  if (x < -0.5) return std::log((1 - sampling_rate) + sampling_rate * std::exp(t));
  return std::log1p(x);
}

double LogMomentUpperBound(const SubsampledGaussian& release, double order) {
  if (!(order > 1) || !std::isfinite(order)) return kInfinity;
  const Mixture mixture = {.sampling_rate = std::max(release.sampling_rate(), 1e-50),
                           .sigma = std::min(release.noise_multiplier(), 1e50)};
  if (mixture.sigma < 1e-100) return kInfinity;  // σ² would underflow
  const double minkowski_shift = (order - 1) / 2 / mixture.sigma / mixture.sigma;
  if (mixture.sampling_rate == 1) return order * minkowski_shift * (1 + 8 * kRounding);
  const double minkowski =
      order * LogMixtureRatio(mixture.sampling_rate, minkowski_shift) * (1 + 8 * kRounding);
  const double lower_bound = order * (minkowski_shift + std::log(mixture.sampling_rate));
  const double points_needed = ((order + 2) / mixture.sigma + 2 * kTailStandardDeviations) *
                               kPointsPerWidth / std::min(1.0, mixture.sigma);
  const double gap = order * std::log1p(std::exp(-minkowski_shift) / mixture.sampling_rate);
  if (gap <= 1e-14 * lower_bound || !(points_needed <= kMostPoints)) return minkowski;
  return std::min(minkowski, LogOnePlusUpperBound(LogExpectedRemainder(mixture, order), order));
}

double LogMomentIntegerOrder(const SubsampledGaussian& release, int64_t order) {
  if (order < 2 || order > (int64_t{1} << 20)) return kInfinity;
  const double nu = release.sampling_rate();
  const double two_variances = 2 * release.noise_multiplier() * release.noise_multiplier();
  const double a = static_cast<double>(order);
  if (nu == 1) return a * (a - 1) / two_variances;
  const double log_odds = std::log(nu) - std::log1p(-nu);
  double log_coefficient = a * std::log1p(-nu);  // log of C(a,k)(1−ν)^{a−k} ν^k, from k = 0
  std::vector<double> terms;
  double largest = -kInfinity;
  for (int64_t i = 1; i <= order; ++i) {
    const double k = static_cast<double>(i);
    log_coefficient += std::log((a - k + 1) / k) + log_odds;
    if (i < 2) continue;
    const double growth = k * (k - 1) / two_variances;
    const double log_expm1 = growth > 40 ? growth : std::log(std::expm1(growth));
    terms.push_back(log_coefficient + log_expm1);
    largest = std::max(largest, terms.back());
  }
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  const double log_excess = largest + std::log(sum);
  return log_excess > 40 ? log_excess : std::log1p(std::exp(log_excess));
}

double LogMomentOtherDirection(const SubsampledGaussian& release, double lambda) {
  if (!(lambda > 0 && lambda <= 256)) return kInfinity;
  const Mixture mixture = {.sampling_rate = release.sampling_rate(),
                           .sigma = release.noise_multiplier()};
  // Half the step of the other direction: (1+x)^{−λ} grows towards the zero of 1 + x.
  const double step = std::min(1.0, mixture.sigma) / (2 * kPointsPerWidth);
  const double low = -kTailStandardDeviations - lambda / mixture.sigma;
  const int64_t points = static_cast<int64_t>((kTailStandardDeviations - low) / step) + 1;
  LogSum sum;
  for (int64_t i = 0; i < points; ++i) {
    const double u = low + static_cast<double>(i) * step;
    sum.Add(-0.5 * u * u - kLogSqrtTwoPi -
            lambda * LogMixtureRatio(mixture.sampling_rate, mixture.ShiftExponent(u)));
  }
  return sum.Log() + std::log(step);
}

}  // namespace topicwall::accountant
