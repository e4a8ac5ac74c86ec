// Clip in four steps, each of which can only drop the unit or pass it on:
//   1. the shape: nothing is indexed by a number of the unit's before it is in range;
//   2. the norm in double, with the weights, over all documents of the unit at once;
//   3. t = x·w·M/max(norm, C), truncated (clip_kernel.h);
//   4. Σ q² <= M², or (*) of row_directions.h, exactly.
// The proof rests on 1 and 4 alone: 2 and 3 may be as wrong as they like.
#include "server/mechanism/unit_clipper.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "base/status_macros.h"
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

absl::StatusOr<UnitClipper> UnitClipper::Create(Params params, const ClipKernel& kernel,
                                                absl::Span<const float> directions,
                                                RowDirections room) {
  TW_RETURN_IF_ERROR(ValidateShape(params.shape));
  TW_RETURN_IF_ERROR(ValidateClipNorm(params.clip_norm));
  TW_RETURN_IF_ERROR(ValidateWeights(params.weights, params.shape.period));
  TW_RETURN_IF_ERROR(ValidateNoiseMultiplier(params.noise_multiplier));
  if (params.direction_noise == 0) return UnitClipper(std::move(params), kernel, RowDirections());
  TW_ASSIGN_OR_RETURN(RowDirections made,
                      RowDirections::Create({.shape = params.shape,
                                             .weights = params.weights,
                                             .noise_multiplier = params.noise_multiplier,
                                             .direction_noise = params.direction_noise},
                                            directions, std::move(room)));
  return UnitClipper(std::move(params), kernel, std::move(made));
}

UnitClipper::UnitClipper(Params params, const ClipKernel& kernel, RowDirections directions)
    : params_(std::move(params)),
      integer_sensitivity_(IntegerSensitivity(params_.noise_multiplier)),
      longest_(LongestUnit(params_.noise_multiplier, params_.direction_noise)),
      directions_(std::move(directions)),
      kernel_(&kernel) {}

bool UnitClipper::Clip(const model::SparseStatistic& unit, ClippedUnit* clipped) const {
  // Before anything is read by these numbers: columns index the weights, and later the grid.
  if (!HasRightShape(unit)) return false;
  if (params_.weights.empty()) return ClipRun<float>(kernel_->plain, unit.values, unit, clipped);
  Weigh(unit, &clipped->weighted);
  return ClipRun<double>(kernel_->weighted, clipped->weighted, unit, clipped);
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

// Σ_r ((x w)·A_r)²/(|A_r|² + τ²): what the norm leaves out.
template <typename Real>
double UnitClipper::SquaresAlong(absl::Span<const Real> run, const model::SparseStatistic& unit,
                                 ClippedUnit* clipped) const {
  if (directions_.empty()) return 0;
  clipped->directions.Gather(directions_, unit);
  const absl::Span<const double> along = clipped->directions.Along(run.data());
  double squares = 0;
  for (std::size_t a = 0; a < along.size(); ++a) {
    squares += along[a] * along[a] / static_cast<double>(directions_.squares(unit.rows[a]));
  }
  return squares;
}

// `squares`: Σ q², exactly. Of directions: with d = q·A_r and N = |A_r|² + τ², the left side of (*)
// is Σ q² − Σ_r (2 m d − m² N). Nothing wraps: |q| <= B <= 2^35 is asked first, and then
// |d| <= |q||A_r| <= 2^50, also of every sum on the way there; N < 2^39; and since m is off from
// d/N by 1 at most, 2 m d − m² N is within 2N of d²/N <= |q|².
bool UnitClipper::IsAllowed(absl::uint128 squares, const model::SparseStatistic& unit,
                            ClippedUnit* clipped) const {
  const absl::uint128 most = absl::uint128(integer_sensitivity_) * integer_sensitivity_;
  if (directions_.empty()) return squares <= most;
  if (!(squares <= absl::uint128(longest_) * longest_)) return false;
  const absl::Span<const int64_t> along = clipped->directions.Along(clipped->values.data());
  absl::int128 left = absl::int128(squares);
  for (std::size_t a = 0; a < along.size(); ++a) {
    const int64_t d = along[a];
    const int64_t n = directions_.squares(unit.rows[a]);
    const int64_t m = std::llround(static_cast<double>(d) / static_cast<double>(n));
    left -= absl::int128(m) * (2 * absl::int128(d) - absl::int128(m) * n);
  }
  return left <= absl::int128(most);
}

// M, less what rounding may take of it (row_directions.h). The m_r add (|A_r|² + τ²)/4 each at most
// to the left of (*), which is M²/2^17 or little more; truncation adds to its root.
double UnitClipper::RoomOf(const model::SparseStatistic& unit) const {
  const auto bound = static_cast<double>(integer_sensitivity_);
  if (directions_.empty()) return bound;
  double rounding = 0;
  for (const uint32_t row : unit.rows) {
    rounding += static_cast<double>(directions_.squares(row)) / 4;
  }
  const double truncation = std::min(std::sqrt(static_cast<double>(unit.values.size())),
                                     static_cast<double>(directions_.longest()) *
                                         std::sqrt(static_cast<double>(unit.rows.size())));
  return std::max(0.0, std::sqrt(std::max(0.0, bound * bound - rounding)) - truncation);
}

template <typename Real>
bool UnitClipper::ClipRun(const RunKernel<Real>& kernel, absl::Span<const Real> run,
                          const model::SparseStatistic& unit, ClippedUnit* clipped) const {
  clipped->values.resize(run.size());
  const double squares =
      kernel.sum_of_squares(run.data(), run.size()) - SquaresAlong(run, unit, clipped);
  clipped->weighted_norm = std::sqrt(squares);
  // Any NaN or infinity among the entries is one here.
  if (!std::isfinite(clipped->weighted_norm)) return false;
  const auto bound = static_cast<double>(integer_sensitivity_);
  // Never stretched: a unit shorter than C keeps its length.
  const double scale = std::min(bound / params_.clip_norm, RoomOf(unit) / clipped->weighted_norm);
  // The norm is off by a relative 2^-20 at most (2^32 entries, 2^-53 each), so the first or
  // second try is nearly always the last, and 30 would do for any input.
  double shrink = 0;
  for (int exponent = -40; exponent <= 0; ++exponent) {
    // The limit refuses no finite unit: with a norm that is right within 2^-20, |t| stays below 2B.
    // It makes sure that the conversion to an integer is defined, whatever came out.
    // Always from x again, so that q is one product truncated and nothing is rounded twice.
    const RoundedRun rounded =
        kernel.truncate(run.data(), run.size(), scale * (1 - shrink),
                        2 * static_cast<double>(longest_), clipped->values.data());
    if (!rounded.in_range) return false;
    if (IsAllowed(rounded.sum_of_squares, unit, clipped)) return true;
    shrink = std::ldexp(1.0, exponent);
  }
  return false;
}

}  // namespace topicwall::mechanism
