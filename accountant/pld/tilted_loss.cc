// The law of one loss is kept as a weighted sum over outcomes: the trapezoidal rule for E_P in x,
// the output of the mechanism, with P's density folded into the weights. κ, κ' and κ'' at any tilt
// are then moments of this discrete law, so the three are consistent with each other to the last
// bit that matters, and no derivative is taken by differences.
#include "accountant/pld/tilted_loss.h"

#include <algorithm>
#include <cmath>

#include "accountant/accountants/subsampled_gaussian.h"

namespace topicwall::accountant {
namespace {

constexpr double kNodesPerWidth = 3;  // a Gaussian's trapezoidal sum is good to e^{−2π²·9}

}  // namespace

// Φ(−T) ≤ e^{−T²/2}/2 solved for T. A closed form above the true quantile: it works down to masses
// of 1e-290, where an inverse of Φ would need care.
double TailDeviations(double tail_mass) { return std::sqrt(-2 * std::log(2 * tail_mass)); }

LossLaw::LossLaw(const SubsampledGaussian& release, Neighbour neighbour, double tail_mass) {
  const double sigma = release.noise_multiplier();
  const double nu = release.sampling_rate();
  if (nu == 1) {
    // Nobody is sampled out: L is normal with mean 1/2σ² and variance 1/σ², and so is its tilted
    // law.
    inverse_variance_ = 1 / sigma / sigma;
    return;
  }
  const bool removed = neighbour == Neighbour::kRemoved;
  // Both densities, centred on 0 and on 1, are inside from −reach to 1 + reach but for the tails.
  const double reach = TailDeviations(tail_mass) * sigma;
  const double range = 1 + 2 * reach;
  const double points = std::min(4096.0, std::ceil(range / sigma * kNodesPerWidth));
  const double log_width = std::log(range / points / sigma / std::sqrt(2 * M_PI));
  for (double i = 0; i <= points; ++i) {
    const double x = -reach + i * range / points;
    const double loss = LogMixtureRatio(nu, (x - 0.5) / sigma / sigma);
    // On removal P is the mixture: its density is that of N(0, σ²) times e^L.
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
  // Relative to the largest term: e^{θL} itself overflows for the tilts that a search tries.
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
          // The difference cancels where the tilted law is narrow; a choice of grid survives that.
          .variance = std::max(0.0, square / total - mean * mean)};
}

}  // namespace topicwall::accountant
