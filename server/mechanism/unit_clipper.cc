// Clip in four steps, each of which can only drop the unit or pass it on:
//   1. the shape: nothing is indexed by a number of the unit's before it is in range;
//   2. the norm in double, with the weights, over all documents of the unit at once;
//   3. t = x·w·M/max(norm, C), truncated (clip_kernel.h);
//   4. Σ q² <= M², exactly.
// The proof rests on 1 and 4 alone: 2 and 3 may be as wrong as they like.
#include "server/mechanism/unit_clipper.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "server/mechanism/grid_scale.h"
#include "server/mechanism/mechanism_limits.h"

#ifdef __FAST_MATH__
#error "NaN must fail comparisons here: build without -ffast-math"
#endif

namespace topicwall::mechanism {
namespace {

// Without a branch in the loop: compilers make vectors of it.
// Strictly: an entry that stood there n times would be n entries to the norm and one in the sum,
// where they add up to as much as √n M.
bool IsStrictlyAscending(absl::Span<const uint32_t> numbers, uint64_t below) {
  uint32_t falls = 0;
  for (std::size_t i = 1; i < numbers.size(); ++i) falls |= numbers[i] <= numbers[i - 1] ? 1U : 0U;
  return falls == 0 && (numbers.empty() || numbers.back() < below);
}

}  // namespace

absl::StatusOr<UnitClipper> UnitClipper::Create(Params params, const ClipKernel& kernel) {
  absl::Status status = ValidateShape(params.shape);
  if (status.ok()) status = ValidateClipNorm(params.clip_norm);
  if (status.ok()) status = ValidateWeights(params.weights, params.shape.period);
  if (status.ok()) status = ValidateNoiseMultiplier(params.noise_multiplier);
  if (!status.ok()) return status;
  const uint64_t bound = IntegerSensitivity(params.noise_multiplier);
  return UnitClipper(std::move(params), bound, kernel);
}

bool UnitClipper::Clip(const model::SparseStatistic& unit, ClippedUnit* clipped) const {
  // Before anything is read by these numbers: columns index the weights, and later the grid.
  if (!HasRightShape(unit)) return false;
  if (params_.weights.empty()) return ClipRun<float>(kernel_->plain, unit.values, clipped);
  Weigh(unit, &clipped->weighted);
  return ClipRun<double>(kernel_->weighted, clipped->weighted, clipped);
}

bool UnitClipper::HasRightShape(const model::SparseStatistic& unit) const {
  return unit.values.size() == unit.columns.size() * unit.rows.size() &&
         IsStrictlyAscending(unit.columns, static_cast<uint64_t>(params_.shape.period)) &&
         IsStrictlyAscending(unit.rows, static_cast<uint64_t>(params_.shape.rows()));
}

void UnitClipper::Weigh(const model::SparseStatistic& unit, std::vector<double>* weighted) const {
  weighted->resize(unit.values.size());
  const std::size_t num_rows = unit.rows.size();
  const float* x = unit.values.data();
  double* y = weighted->data();
  for (const uint32_t column : unit.columns) {
    const double w = weight(column);
    for (std::size_t a = 0; a < num_rows; ++a) *y++ = static_cast<double>(*x++) * w;
  }
}

template <typename Real>
bool UnitClipper::ClipRun(const RunKernel<Real>& kernel, absl::Span<const Real> run,
                          ClippedUnit* clipped) const {
  clipped->values.resize(run.size());
  clipped->weighted_norm = std::sqrt(kernel.sum_of_squares(run.data(), run.size()));
  // Any NaN or infinity among the entries is one here.
  if (!std::isfinite(clipped->weighted_norm)) return false;
  const auto bound = static_cast<double>(integer_sensitivity_);
  // Never stretched: a unit shorter than C keeps its length.
  const double scale = bound / std::max(clipped->weighted_norm, params_.clip_norm);
  const absl::uint128 most = absl::uint128(integer_sensitivity_) * integer_sensitivity_;
  // The norm is off by a relative 2^-20 at most (2^32 entries, 2^-53 each), so the first or
  // second try is nearly always the last, and 30 would do for any input.
  double shrink = 0;
  for (int exponent = -40; exponent <= 0; ++exponent) {
    // The limit refuses no finite unit: with a norm that is right within 2^-20, |t| stays below 2M.
    // It makes sure that the conversion to an integer is defined, whatever came out.
    // Always from x again, so that q is one product truncated and nothing is rounded twice.
    const RoundedRun rounded = kernel.truncate(run.data(), run.size(), scale * (1 - shrink),
                                               2 * bound, clipped->values.data());
    if (!rounded.in_range) return false;
    if (rounded.sum_of_squares <= most) return true;
    shrink = std::ldexp(1.0, exponent);
  }
  return false;
}

}  // namespace topicwall::mechanism
