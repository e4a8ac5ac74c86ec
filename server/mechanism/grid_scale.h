// The integer grid on which units are added and noise is drawn: the one place where a
// noise multiplier becomes integers.
//
// Noise has the same standard deviation on the grid for every release, exactly
// 2^kNoiseScaleBits = 2^30. What varies is how long a unit may be there: at most
//
//   M = IntegerSensitivity(σ) = the largest integer with M·σ <= 2^30,
//
// so the true multiplier 2^30/M is never below the one that was paid for, and above it by
// less than a factor 1 + σ/(2^30 - σ), 2e-7 for σ = 200. σ in [2^-6, 2^20] gives M in
// [2^10, 2^36]. One grid step is C/(M·w_c) in an entry of column c, in the unit of C.
//
// Every parameter here is PUBLIC and already validated (mechanism_limits.h).
// Threads: any.
#ifndef TOPICWALL_SERVER_MECHANISM_GRID_SCALE_H_
#define TOPICWALL_SERVER_MECHANISM_GRID_SCALE_H_

#include <cstdint>

namespace topicwall::mechanism {

inline constexpr int kNoiseScaleBits = 30;
inline constexpr double kGridNoise = 0x1p30;  // standard deviation, in grid steps

// M, exactly (integer arithmetic on the mantissa, no rounding).
// Precondition: ValidateNoiseMultiplier(noise_multiplier) is OK.
uint64_t IntegerSensitivity(double noise_multiplier);

// Length of one grid step at weight 1, in the unit of C: C/M.
double GridStep(double clip_norm, double noise_multiplier);

// Standard deviation, in the unit of C, of the noise in an entry of weight 1: 2^30·C/M.
// Divide by w_c for column c. A norm histogram has sensitivity 1 unit: clip_norm = 1.
double NoiseStandardDeviation(double clip_norm, double noise_multiplier);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_GRID_SCALE_H_
