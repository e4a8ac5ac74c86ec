// Prices come from MomentTable, which rounds upwards. The binomial sum is a witness: the same
// moment by other means than the table, so that a mistake in one is not repeated in the other.
#include "accountant/accountants/subsampled_gaussian.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "accountant/accountants/moment_table.h"
#include "accountant/events/privacy_params.h"

namespace topicwall::accountant {

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

}  // namespace topicwall::accountant
