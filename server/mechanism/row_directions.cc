// Lengths are worked out in double and may be off in their last bits: what a direction is made of
// is of no matter to the proof. Its squares are then added up exactly, as integers.
#include "server/mechanism/row_directions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/mechanism/grid_scale.h"
#include "server/mechanism/mechanism_limits.h"

#ifdef __FAST_MATH__
#error "NaN must fail comparisons here: build without -ffast-math"
#endif

namespace topicwall::mechanism {
namespace {

// R. Coarser, and rounding m_r would cost some of the clip's room; finer, and A would be.
int64_t LengthOf(double noise_multiplier) {
  return static_cast<int64_t>(IntegerSensitivity(noise_multiplier) / 256);
}

// τ, at most 2^26.
int64_t ScaleOf(double noise_multiplier, double direction_noise) {
  const auto length = static_cast<double>(LengthOf(noise_multiplier));
  return std::max<int64_t>(1, std::llround(length / direction_noise));
}

// Calls take(row, entry, number) for all weighted numbers, as they lie.
template <typename Take>
void ForEachWeighted(const RowDirections::Params& params, absl::Span<const float> directions,
                     Take take) {
  const auto num_rows = static_cast<std::size_t>(params.shape.rows());
  std::size_t entry = 0;
  for (std::size_t column = 0; entry < directions.size(); ++column) {
    const double weight = params.weights.empty() ? 1 : double{params.weights[column]};
    for (std::size_t row = 0; row < num_rows; ++row, ++entry) {
      take(row, entry, double{directions[entry]} * weight);
    }
  }
}

// R over the length of each row's direction; 0 for a row that has none.
std::vector<double> ScalesOfRows(const RowDirections::Params& params,
                                 absl::Span<const float> directions) {
  std::vector<double> scales(static_cast<std::size_t>(params.shape.rows()));
  ForEachWeighted(params, directions, [&](std::size_t row, std::size_t /*entry*/, double number) {
    scales[row] += number * number;
  });
  const auto length = static_cast<double>(LengthOf(params.noise_multiplier));
  for (double& scale : scales) {
    scale = length / std::sqrt(scale);
    if (!std::isfinite(scale)) scale = 0;
  }
  return scales;
}

// Toward zero, so that a row is no longer than R.
int32_t Rounded(double number, double length) {
  if (!std::isfinite(number)) return 0;
  return static_cast<int32_t>(std::clamp(number, -length, length));
}

}  // namespace

uint64_t LongestUnit(double noise_multiplier, double direction_noise) {
  const uint64_t bound = IntegerSensitivity(noise_multiplier);
  if (direction_noise == 0) return bound;
  const auto length = static_cast<uint64_t>(LengthOf(noise_multiplier));
  const auto scale = static_cast<uint64_t>(ScaleOf(noise_multiplier, direction_noise));
  return bound + (bound * length + scale - 1) / scale;
}

absl::StatusOr<RowDirections> RowDirections::Create(const Params& params,
                                                    absl::Span<const float> directions,
                                                    std::vector<int32_t> room) {
  absl::Status status = ValidateShape(params.shape);
  if (status.ok()) status = ValidateWeights(params.weights, params.shape.period);
  if (status.ok()) status = ValidateNoiseMultiplier(params.noise_multiplier);
  if (status.ok()) status = ValidateDirectionNoise(params.direction_noise, params.noise_multiplier);
  if (!status.ok()) return status;
  if (static_cast<int64_t>(directions.size()) != params.shape.dimension) {
    return absl::InvalidArgumentError(absl::StrCat("directions must be ", params.shape.dimension,
                                                   " numbers, one for each entry; got ",
                                                   directions.size(), ". Ask the model for them."));
  }
  RowDirections made;
  made.entries_ = std::move(room);
  made.entries_.resize(directions.size());
  made.squares_.resize(static_cast<std::size_t>(params.shape.rows()));
  made.scale_ = ScaleOf(params.noise_multiplier, params.direction_noise);
  const std::vector<double> scales = ScalesOfRows(params, directions);
  const int64_t length = LengthOf(params.noise_multiplier);
  ForEachWeighted(params, directions, [&](std::size_t row, std::size_t entry, double number) {
    const int32_t rounded = Rounded(number * scales[row], static_cast<double>(length));
    made.entries_[entry] = rounded;
    made.squares_[row] += int64_t{rounded} * rounded;
  });
  made.DropLongerThan(length);
  for (int64_t& squares : made.squares_) squares += made.scale_ * made.scale_;
  return made;
}

// A row that rounding has made longer, if there can be one, has no direction.
void RowDirections::DropLongerThan(int64_t length) {
  for (std::size_t row = 0; row < squares_.size(); ++row) {
    if (squares_[row] <= length * length) continue;
    for (std::size_t i = row; i < entries_.size(); i += squares_.size()) entries_[i] = 0;
    squares_[row] = 0;
  }
}

}  // namespace topicwall::mechanism
