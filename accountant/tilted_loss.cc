#include "accountant/tilted_loss.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "accountant/subsampled_gaussian.h"

namespace topicwall::accountant {
namespace {

constexpr double kPointsPerWidth = 3;  // a Gaussian's trapezoidal sum is good to e^{−2π²·9}
constexpr double kMostPoints = 4096;

}  // namespace

double TailDeviations(double tail_mass) { return std::sqrt(-2 * std::log(2 * tail_mass)); }

TiltedLoss TiltedLossOf(const SubsampledGaussian& release, const Tilting& tilting) {
  const double tilt = tilting.tilt;
  const double sigma = release.noise_multiplier();
  const double nu = release.sampling_rate();
  if (nu == 1) {
    const double variance = 1 / sigma / sigma;
    return {.log_moment = tilt * (tilt + 1) / 2 * variance,
            .mean = (tilt + 0.5) * variance,
            .variance = variance};
  }
  const bool removed = tilting.neighbour == Neighbour::kRemoved;
  const double sign = removed ? 1 : -1;
  // The density is φ(x/σ) e^{power·L(x)}, with L the loss on removal.
  const double power = removed ? tilt + 1 : -tilt;
  const double reach = TailDeviations(tilting.tail_mass) * sigma;
  const double low = -reach;
  const double high = 1 + reach;
  const double points = std::min(kMostPoints, std::ceil((high - low) / sigma * kPointsPerWidth));
  const double step = (high - low) / points;
  const size_t count = static_cast<size_t>(points) + 1;
  std::vector<double> losses(count);
  std::vector<double> log_weights(count);
  double largest = -HUGE_VAL;
  for (size_t i = 0; i < count; ++i) {
    const double x = low + static_cast<double>(i) * step;
    const double loss = LogMixtureRatio(nu, (x - 0.5) / sigma / sigma);
    losses[i] = sign * loss;
    log_weights[i] = power * loss - x * x / 2 / sigma / sigma;
    largest = std::max(largest, log_weights[i]);
  }
  double total = 0;
  double mean = 0;
  double square = 0;
  for (size_t i = 0; i < count; ++i) {
    const double weight = std::exp(log_weights[i] - largest);
    total += weight;
    mean += weight * losses[i];
    square += weight * losses[i] * losses[i];
  }
  mean /= total;
  return {.log_moment = largest + std::log(total * step / sigma / std::sqrt(2 * M_PI)),
          .mean = mean,
          .variance = std::max(0.0, square / total - mean * mean)};
}

TiltedLoss TiltedLossOf(absl::Span<const DpEvent> events, const Tilting& tilting) {
  TiltedLoss sum = {.log_moment = 0, .mean = 0, .variance = 0};
  for (const DpEvent& event : events) {
    const TiltedLoss one = TiltedLossOf(event.release, tilting);
    const double count = static_cast<double>(event.count);
    sum.log_moment += count * one.log_moment;
    sum.mean += count * one.mean;
    sum.variance += count * one.variance;
  }
  return sum;
}

}  // namespace topicwall::accountant
