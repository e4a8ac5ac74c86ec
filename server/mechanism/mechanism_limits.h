// Which numbers the mechanism accepts. All of them are public and are checked before a
// charge (server/request_validator, when a plan is reserved or an E-step is asked for),
// and once more when the paid mechanism starts.
//
//   absl::Status status = ValidateClipNorm(request.clip_norm());
//
// The ranges are what the integer arithmetic of unit_clipper.h and partial_sum.h was
// proved for: with them every grid entry of a unit stays below 2^37 in absolute value, every
// unit's sum of squares below 2^107 and every released float is finite and normal.
//
// Errors: INVALID_ARGUMENT naming the parameter, its range, the value and what to do.
// NaN and infinity are outside every range.
#ifndef TOPICWALL_SERVER_MECHANISM_MECHANISM_LIMITS_H_
#define TOPICWALL_SERVER_MECHANISM_MECHANISM_LIMITS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "model/sparse_statistic.h"
#include "server/ledger/charge_receipt.h"

namespace topicwall::mechanism {

// σ: standard deviation of the noise ÷ L2 sensitivity, unitless.
inline constexpr double kMinNoiseMultiplier = 0x1p-6;
inline constexpr double kMaxNoiseMultiplier = 0x1p20;

// C: L2 norm a unit's weighted statistic is clipped to, in the statistic's own unit.
inline constexpr double kMinClipNorm = 0x1p-20;
inline constexpr double kMaxClipNorm = 0x1p30;

// r: deviation of the noise along a row's direction ÷ that of an entry, unitless.
inline constexpr double kMinDirectionNoise = 1;
inline constexpr double kMaxDirectionNoise = 0x1p4;

// w_c: public factor of column c inside the norm, unitless.
inline constexpr float kMinWeight = 0x1p-20F;
inline constexpr float kMaxWeight = 0x1p20F;

// D: entries of one release.
inline constexpr int64_t kMaxStatisticEntries = int64_t{1} << 32;

// Shards of a corpus, in one release.
inline constexpr int kMaxShards = 1 << 16;

// ν in (0, 1].
absl::Status ValidateSamplingRate(double sampling_rate);

// σ of the statistics and σ_h of the norm histogram: the same range.
absl::Status ValidateNoiseMultiplier(double noise_multiplier);
absl::Status ValidateHistogramNoiseMultiplier(double histogram_noise_multiplier);

absl::Status ValidateClipNorm(double clip_norm);

// r: 0, or in [1, 16] with σ >= 1 (row_directions.h).
absl::Status ValidateDirectionNoise(double direction_noise, double noise_multiplier);

// Either none (all 1) or one for each column, `period` of them.
absl::Status ValidateWeights(absl::Span<const float> weights, int64_t period);

// P >= 1, P divides D, 1 <= D <= kMaxStatisticEntries.
absl::Status ValidateShape(const model::StatisticShape& shape);

// N >= 1.
absl::Status ValidateMaxWords(int64_t max_words);

// h in [0, 1); if only those units take part, in (0, 1].
absl::Status ValidateHeldOutShare(double held_out_share, bool held_out_only);

// 1 to kMaxShards.
absl::Status ValidateNumShards(int64_t num_shards);

// Whether the sum over as many units as the corpus may hold fits into 64 bits: U·B + 2^40 < 2^63
// for B = LongestUnit(σ, r) (row_directions.h), which is M without direction noise, computed
// without rounding, and the same for the norm histogram and σ_h. From public numbers alone, before
// anything is charged. Precondition: the noise multipliers are valid.
//
// Why: a clipped unit has no entry beyond ±B, so no entry of the sum is beyond ±U·B, however many
// of the U units were drawn; noise has standard deviation 2^30 and is below 2^40 in absolute value
// but with probability < 10^-200000. So what is released is the sum plus noise over the integers:
// it did not wrap, and whether it wrapped tells nothing about anybody.
absl::Status ValidateSumFits(int64_t max_units, double noise_multiplier,
                             double direction_noise = 0);

// Everything above but clip norm and direction noise, which are not part of the price.
absl::Status ValidatePaidMechanism(const ledger::PaidMechanism& mechanism,
                                   const model::StatisticShape& shape);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_MECHANISM_LIMITS_H_
