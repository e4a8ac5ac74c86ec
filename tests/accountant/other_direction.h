// The moment that no price uses, for the tests of the claim that none has to.
#ifndef TOPICWALL_TESTS_ACCOUNTANT_OTHER_DIRECTION_H_
#define TOPICWALL_TESTS_ACCOUNTANT_OTHER_DIRECTION_H_

#include <algorithm>
#include <cmath>
#include <vector>

#include "accountant/accountants/subsampled_gaussian.h"

namespace topicwall::accountant {

// log E1(λ) = log A_{−λ} (subsampled_gaussian.h) for 0 < λ ≤ 256, to about 1e-12 absolute.
inline double LogMomentOtherDirection(const SubsampledGaussian& release, double lambda) {
  const double sigma = release.noise_multiplier();
  // Half the step of MomentTable: (1+x)^{−λ} grows towards the zero of 1 + x.
  const double step = std::min(1.0, sigma) / 10;
  // Where 1 − ν is small, R^{−λ} is nearly e^{−λt} and moves the bulk of the integrand to −λ/σ.
  std::vector<double> terms;
  for (double u = -12 - lambda / sigma; u <= 12; u += step) {
    terms.push_back(-0.5 * u * u - lambda * LogMixtureRatio(release.sampling_rate(),
                                                            u / sigma - 0.5 / sigma / sigma));
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum * step / std::sqrt(2 * M_PI));
}

}  // namespace topicwall::accountant

#endif  // TOPICWALL_TESTS_ACCOUNTANT_OTHER_DIRECTION_H_
