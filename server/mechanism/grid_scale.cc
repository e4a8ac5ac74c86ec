#include "server/mechanism/grid_scale.h"

#include <cmath>

#include "absl/numeric/int128.h"

namespace topicwall::mechanism {

// In integers, because a division of doubles rounds to nearest: a quotient just below an integer
// would become that integer, M one too large, and the noise less than what was paid for.
uint64_t IntegerSensitivity(double noise_multiplier) {
  // σ = mantissa·2^exponent with a 53-bit integer mantissa, so M·σ <= 2^30 means
  // M·mantissa <= 2^(30 - exponent). For σ in [2^-6, 2^20] the exponent is in [-58, -32]:
  // the power is below 2^89.
  int exponent = 0;
  const double fraction = std::frexp(noise_multiplier, &exponent);
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));
  exponent -= 53;
  const absl::uint128 power = absl::uint128(1) << (kNoiseScaleBits - exponent);
  return absl::Uint128Low64(power / mantissa);
}

double GridStep(double clip_norm, double noise_multiplier) {
  return clip_norm / static_cast<double>(IntegerSensitivity(noise_multiplier));
}

double NoiseStandardDeviation(double clip_norm, double noise_multiplier) {
  return kGridNoise * GridStep(clip_norm, noise_multiplier);
}

}  // namespace topicwall::mechanism
