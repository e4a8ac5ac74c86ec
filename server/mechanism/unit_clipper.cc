#include "server/mechanism/unit_clipper.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "server/mechanism/lattice_scale.h"
#include "server/mechanism/mechanism_limits.h"

#ifdef __FAST_MATH__
#error "NaN must fail comparisons here: build without -ffast-math"
#endif

namespace topicwall::mechanism {
namespace {

// Four partial sums in a fixed order: the same bits however the loop is compiled. A float's
// square is exact in double, and neither overflows nor underflows there.
double SumOfSquares(absl::Span<const float> row) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= row.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) {
      const double x = static_cast<double>(row[i + lane]);
      sums[lane] += x * x;
    }
  }
  for (; i < row.size(); ++i) sums[0] += static_cast<double>(row[i]) * static_cast<double>(row[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

bool IsStrictlyAscending(absl::Span<const uint32_t> numbers, uint64_t below) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] >= below || (i > 0 && numbers[i] <= numbers[i - 1])) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<UnitClipper> UnitClipper::Create(Params params) {
  absl::Status status = ValidateShape(params.num_topics, params.vocabulary_size);
  if (status.ok()) status = ValidateClipNorm(params.clip_norm);
  if (status.ok()) status = ValidateTermWeights(params.term_weights, params.vocabulary_size);
  if (status.ok()) status = ValidateNoiseMultiplier(params.noise_multiplier);
  if (!status.ok()) return status;
  const uint64_t bound = LatticeBound(params.noise_multiplier);
  return UnitClipper(std::move(params), bound);
}

bool UnitClipper::Clip(const lda::UnitStatistic& statistic, ClippedUnit* clipped) const {
  const std::size_t num_rows = statistic.terms().size();
  clipped->rows.resize(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) clipped->rows[i] = statistic.row(i);
  return ClipEntries(
      {.terms = statistic.terms(), .topics = statistic.topics(), .rows = clipped->rows}, clipped);
}

bool UnitClipper::ClipEntries(const Entries& unit, ClippedUnit* clipped) const {
  if (!HasRightShape(unit)) return false;
  clipped->weighted_norm = WeightedNorm(unit);
  if (!std::isfinite(clipped->weighted_norm)) return false;
  const double scale =
      static_cast<double>(lattice_bound_) / std::max(clipped->weighted_norm, params_.clip_norm);
  // The norm is off by a relative 2^-20 at most (2^32 terms, 2^-53 each), so the first or
  // second try is nearly always the last, and 30 would do for any input.
  double shrink = 0;
  for (int exponent = -40; exponent <= 0; ++exponent) {
    switch (RoundDown(unit, scale * (1 - shrink), &clipped->values)) {
      case Rounding::kWithinBound:
        return true;
      case Rounding::kOutOfRange:
        return false;
      case Rounding::kTooLong:
        shrink = std::ldexp(1.0, exponent);
    }
  }
  return false;
}

bool UnitClipper::HasRightShape(const Entries& unit) const {
  if (unit.rows.size() != unit.terms.size()) return false;
  if (!IsStrictlyAscending(unit.terms, static_cast<uint64_t>(params_.vocabulary_size)) ||
      !IsStrictlyAscending(unit.topics, static_cast<uint64_t>(params_.num_topics))) {
    return false;
  }
  return std::all_of(unit.rows.begin(), unit.rows.end(), [&unit](absl::Span<const float> row) {
    return row.size() == unit.topics.size();
  });
}

double UnitClipper::WeightedNorm(const Entries& unit) const {
  double sum = 0;
  for (std::size_t i = 0; i < unit.terms.size(); ++i) {
    const double w = weight(unit.terms[i]);
    sum += w * w * SumOfSquares(unit.rows[i]);
  }
  return std::sqrt(sum);
}

UnitClipper::Rounding UnitClipper::RoundDown(const Entries& unit, double scale,
                                             std::vector<uint64_t>* values) const {
  const double limit = 2 * static_cast<double>(lattice_bound_);
  const std::size_t num_topics = unit.topics.size();
  values->resize(unit.terms.size() * num_topics);
  absl::uint128 sum_of_squares = 0;  // below 2^32 entries of 2^74 each
  for (std::size_t i = 0; i < unit.terms.size(); ++i) {
    const double row_scale = weight(unit.terms[i]) * scale;
    const float* x = unit.rows[i].data();
    uint64_t* q = values->data() + i * num_topics;
    for (std::size_t k = 0; k < num_topics; ++k) {
      const double t = static_cast<double>(x[k]) * row_scale;
      if (!(t >= 0 && t < limit)) return Rounding::kOutOfRange;
      // Through int64: one instruction, and t < 2^37.
      q[k] = static_cast<uint64_t>(static_cast<int64_t>(t));
      sum_of_squares += absl::uint128(q[k]) * q[k];
    }
  }
  const absl::uint128 bound = absl::uint128(lattice_bound_) * lattice_bound_;
  return sum_of_squares <= bound ? Rounding::kWithinBound : Rounding::kTooLong;
}

}  // namespace topicwall::mechanism
