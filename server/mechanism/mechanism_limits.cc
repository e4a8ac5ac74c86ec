// All checks have one form: they ask for what is allowed, so that NaN, of which no such comparison
// is true, is refused. Their messages go to whoever asked, and name public parameters only.
#include "server/mechanism/mechanism_limits.h"

#include <cmath>
#include <cstddef>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/mechanism/row_directions.h"

namespace topicwall::mechanism {
namespace {

absl::Status NoiseMultiplierInRange(absl::string_view parameter, double value) {
  if (value >= kMinNoiseMultiplier && value <= kMaxNoiseMultiplier) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(parameter, " must be in [2^-6, 2^20]; got ", value, ". Ask for ",
                   value > kMaxNoiseMultiplier ? "less" : "more", " noise."));
}

}  // namespace

absl::Status ValidateSamplingRate(double sampling_rate) {
  if (sampling_rate > 0 && sampling_rate <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("sampling_rate must be in (0, 1]; got ",
                                                 sampling_rate, ". Use 1 for every unit."));
}

absl::Status ValidateNoiseMultiplier(double noise_multiplier) {
  return NoiseMultiplierInRange("noise_multiplier", noise_multiplier);
}

absl::Status ValidateHistogramNoiseMultiplier(double histogram_noise_multiplier) {
  return NoiseMultiplierInRange("histogram_noise_multiplier", histogram_noise_multiplier);
}

absl::Status ValidateClipNorm(double clip_norm) {
  if (clip_norm >= kMinClipNorm && clip_norm <= kMaxClipNorm) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("clip_norm must be in [2^-20, 2^30]; got ",
                                                 clip_norm,
                                                 ". Choose it near the norm of a typical unit."));
}

absl::Status ValidateWeights(absl::Span<const float> weights, int64_t period) {
  if (weights.empty()) return absl::OkStatus();
  if (static_cast<int64_t>(weights.size()) != period) {
    return absl::InvalidArgumentError(absl::StrCat(
        "weights must have one weight per column of the statistic, ", period, ", or be empty; got ",
        weights.size(), ". Send as many as the model's releases have columns."));
  }
  for (std::size_t column = 0; column < weights.size(); ++column) {
    const float weight = weights[column];
    if (!(weight >= kMinWeight && weight <= kMaxWeight)) {
      return absl::InvalidArgumentError(absl::StrCat("weights[", column,
                                                     "] must be in [2^-20, 2^20]; got ", weight,
                                                     ". Bound the weights before sending them."));
    }
  }
  return absl::OkStatus();
}

absl::Status ValidateShape(const model::StatisticShape& shape) {
  const auto [dimension, period] = shape;
  if (period >= 1 && dimension >= 1 && dimension <= kMaxStatisticEntries &&
      dimension % period == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("a statistic must have at least 1 and at most 2^32 entries, a multiple of its "
                   "columns; got ",
                   dimension, " entries and ", period, " columns. Ask for a smaller one."));
}

absl::Status ValidateDirectionNoise(double direction_noise, double noise_multiplier) {
  // Not −0, which is another header of the release and another digest of it.
  if (direction_noise == 0 && !std::signbit(direction_noise)) return absl::OkStatus();
  if (!(direction_noise >= kMinDirectionNoise && direction_noise <= kMaxDirectionNoise)) {
    return absl::InvalidArgumentError(
        absl::StrCat("direction_noise must be 0 or in [1, 16]; got ", direction_noise,
                     ". Use 0 for the same noise in all directions."));
  }
  if (noise_multiplier >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("direction_noise must be 0 where the noise multiplier is below 1; got ",
                   direction_noise, " with ", noise_multiplier, ". Plan for more noise."));
}

absl::Status ValidateSumFits(int64_t max_units, double noise_multiplier, double direction_noise) {
  // U < 2^63 and B <= 2^36, so that this cannot wrap. A negative U is refused below, whatever it
  // gives here.
  const absl::uint128 sum = absl::uint128(static_cast<uint64_t>(max_units)) *
                            LongestUnit(noise_multiplier, direction_noise);
  if (max_units >= 1 && sum + (uint64_t{1} << 40) < uint64_t{1} << 63) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "noise multiplier ", noise_multiplier, ", with direction_noise ", direction_noise,
      ", is too small for a corpus of up to ", max_units,
      " privacy units: their sum must stay below 2^63. Ask for more noise, or none along rows."));
}

absl::Status ValidateMaxWords(int64_t max_words) {
  if (max_words >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("max_words must be at least 1; got ", max_words, ". Keep some words."));
}

absl::Status ValidateHeldOutShare(double held_out_share, bool held_out_only) {
  if (held_out_only) {
    if (held_out_share > 0 && held_out_share <= 1) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("held_out_share must be in (0, 1] with held_out_only; got ", held_out_share,
                     ". Use the share that the model's own plan left out."));
  }
  if (held_out_share >= 0 && held_out_share < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("held_out_share must be in [0, 1); got ",
                                                 held_out_share, ". Use 0 to hold nobody out."));
}

absl::Status ValidateNumShards(int64_t num_shards) {
  if (num_shards >= 1 && num_shards <= kMaxShards) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a release must have 1 to ", kMaxShards,
                                                 " shards; got ", num_shards,
                                                 ". Sum it in as many."));
}

// Not ValidateSumFits: the receipt does not tell how many units the corpus may have. Who reserves a
// plan knows it, and asks then.
absl::Status ValidatePaidMechanism(const ledger::PaidMechanism& mechanism,
                                   const model::StatisticShape& shape) {
  absl::Status status = ValidateShape(shape);
  if (status.ok()) status = ValidateSamplingRate(mechanism.sampling_rate);
  if (status.ok()) status = ValidateNoiseMultiplier(mechanism.noise_multiplier);
  if (status.ok() && mechanism.histogram_noise_multiplier.has_value()) {
    status = ValidateHistogramNoiseMultiplier(*mechanism.histogram_noise_multiplier);
  }
  if (status.ok()) status = ValidateMaxWords(mechanism.max_words);
  if (status.ok()) {
    status = ValidateHeldOutShare(mechanism.held_out_share, mechanism.held_out_only);
  }
  if (status.ok()) status = ValidateWeights(mechanism.weights, shape.period);
  return status;
}

}  // namespace topicwall::mechanism
