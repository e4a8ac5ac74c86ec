#include "accountant/pld/tilted_loss.h"

#include <algorithm>
#include <cmath>

#include "accountant/accountants/subsampled_gaussian.h"

namespace topicwall::accountant {
namespace {

constexpr double kPointsPerWidth = 3;  // a Gaussian's trapezoidal sum is good to e^{−2π²·9}

}  // namespace

double TailDeviations(double tail_mass) { return std::sqrt(-2 * std::log(2 * tail_mass)); }

LossLaw::LossLaw(const SubsampledGaussian& release, Neighbour neighbour, double tail_mass) {
  const double sigma = release.noise_multiplier();
  const double nu = release.sampling_rate();
  if (nu == 1) {
    inverse_variance_ = 1 / sigma / sigma;
    return;
  }
  const bool removed = neighbour == Neighbour::kRemoved;
  const double reach = TailDeviations(tail_mass) * sigma;
  const double range = 1 + 2 * reach;
  const double points = std::min(4096.0, std::ceil(range / sigma * kPointsPerWidth));
  const double log_width = std::log(range / points / sigma / std::sqrt(2 * M_PI));
  for (double i = 0; i <= points; ++i) {
    const double x = -reach + i * range / points;
    const double loss = LogMixtureRatio(nu, (x - 0.5) / sigma / sigma);
    losses_.push_back(removed ? loss : -loss);
    log_weights_.push_back(log_width - x * x / 2 / sigma / sigma + (removed ? loss : 0));
  }
}

TiltedLoss LossLaw::At(double tilt) const {
  if (losses_.empty()) {
    return {.log_moment = tilt * (tilt + 1) / 2 * inverse_variance_,
            .mean = (tilt + 0.5) * inverse_variance_,
            .variance = inverse_variance_};
  }
  double largest = -HUGE_VAL;
  for (size_t i = 0; i < losses_.size(); ++i) {
    largest = std::max(largest, log_weights_[i] + tilt * losses_[i]);
  }
  double total = 0;
  double mean = 0;
  double square = 0;
  for (size_t i = 0; i < losses_.size(); ++i) {
    const double weight = std::exp(log_weights_[i] + tilt * losses_[i] - largest);
    total += weight;
    mean += weight * losses_[i];
    square += weight * losses_[i] * losses_[i];
  }
  mean /= total;
  return {.log_moment = largest + std::log(total),
          .mean = mean,
          .variance = std::max(0.0, square / total - mean * mean)};
}

}  // namespace topicwall::accountant
