// Prices come from MomentTable, which rounds upwards. The other two functions are witnesses: the
// same moment by a binomial sum, and the direction that is never the larger, each by other means
// than the table, so that a mistake in one is not repeated in the other.
#include "accountant/accountants/subsampled_gaussian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "accountant/accountants/moment_table.h"

namespace topicwall::accountant {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLogSqrtTwoPi = 0.91893853320467274178;

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

struct Mixture {
  double sampling_rate;
  double sigma;

  double ShiftExponent(double u) const { return u / sigma - 0.5 / sigma / sigma; }
};

}  // namespace

double LogMixtureRatio(double sampling_rate, double t) {
  if (sampling_rate == 1) return t;
  // e^t is no double any more, ν e^t + (1 − ν) = ν e^t (1 + (1 − ν) e^{−t}/ν).
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
  return MomentTable(release, /*largest_order=*/1).LogMomentUpperBound(order);
}

// All terms are positive, from k = 2 on as those of 0 and 1 have expm1(0) = 0: A_a − 1 is summed
// without cancelling, however near to 1 the moment is. Coefficients pass the range of a double both
// ways, hence the logarithms.
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
    // Above 40 the two differ by less than an ulp, and expm1 would soon overflow.
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
  // Half the step of MomentTable: (1+x)^{−λ} grows towards the zero of 1 + x.
  const double step = std::min(1.0, mixture.sigma) / 10;
  // Where 1 − ν is small, R^{−λ} is nearly e^{−λt} and moves the bulk of the integrand to −λ/σ.
  const double low = -12 - lambda / mixture.sigma;
  const int64_t points = static_cast<int64_t>((12 - low) / step) + 1;
  LogSum sum;
  for (int64_t i = 0; i < points; ++i) {
    const double u = low + static_cast<double>(i) * step;
    sum.Add(-0.5 * u * u - kLogSqrtTwoPi -
            lambda * LogMixtureRatio(mixture.sampling_rate, mixture.ShiftExponent(u)));
  }
  return sum.Log() + std::log(step);
}

}  // namespace topicwall::accountant
