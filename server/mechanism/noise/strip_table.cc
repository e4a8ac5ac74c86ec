#include "server/mechanism/noise/strip_table.h"

namespace topicwall::mechanism {
namespace {

constexpr int kCurveBits = 63;  // values of the curve are integers of 2^-63
constexpr uint64_t kOne = uint64_t{1} << kCurveBits;
constexpr int kFractionBits = 56;  // of x within its strip

// Below 2^128.
absl::uint128 Narrowed(const Natural& number) { return static_cast<unsigned __int128>(number); }

// f(i·2^-strip_bits): 2^63 e^(-a) = 2^127 / (2^64 e^a).
StripTable::Bounds CurveAt(uint64_t i, int strip_bits) {
  const absl::uint128 numerator = absl::uint128(1) << 127;
  const absl::uint128 above = Narrowed(ExpOfHalfSquareUpperBound(Natural(i), strip_bits, 64));
  const absl::uint128 below = Narrowed(ExpOfHalfSquareLowerBound(Natural(i), strip_bits, 64));
  return {.low = absl::Uint128Low64(numerator / above),
          .high = absl::Uint128Low64((numerator - 1) / below + 1)};
}

// Integers of 2^-bits around the number in [0, 1] that begins with these binary digits.
struct Range {
  absl::uint128 low;
  absl::uint128 high;
};
Range RangeOf(absl::uint128 digits, int num_digits, int bits) {
  if (num_digits <= bits) {
    return {.low = digits << (bits - num_digits), .high = (digits + 1) << (bits - num_digits)};
  }
  const absl::uint128 low = digits >> (num_digits - bits);
  return {.low = low, .high = low + 1};
}

// 2^63 e^(-d) within kExpError, d = decay·2^-64 < 1. Horner's scheme for the series up to
// d^20/20!, of which what is left out is below 1/21! < 2^-65. A step rounds twice, by less than 2
// together, and hands on the error of the one before times d/m: with m = 20 … 2 it stays below
// 2 + 4/2 = 4, with m = 1 below 2 + 4 = 6; the series adds 1.
constexpr uint64_t kExpError = 8;
uint64_t ExpOfMinus(uint64_t decay) {
  uint64_t result = kOne;
  for (uint64_t m = 20; m >= 1; --m) {
    result = kOne - absl::Uint128High64(absl::uint128(decay) * result) / m;
  }
  return result;
}

// f(w(i + x)) = f(wi) e^(-d), d = w² x(2i + x)/2, is below 1 as w (z_0 + w/2) is. x <= 1 is an
// integer of 2^-56, 2i + x below 2^12: their product stays below 2^124.
absl::uint128 DecayProduct(uint64_t i, absl::uint128 x) {
  return x * ((absl::uint128(2 * i) << kFractionBits) + x);
}
int DecayShift(int strip_bits) { return 2 * kFractionBits + 2 * strip_bits + 1 - 64; }

}  // namespace

const StripTable& StripTable::Production() {
  static const auto* const table = new StripTable({.strip_bits = 6, .cell_bits = 8});
  return *table;
}

StripTable::StripTable(const Params& params) : params_(params) {
  const int area_bits = params.strip_bits + params.cell_bits;
  const uint64_t tail_height = uint64_t{1} << (kCurveBits - area_bits - 1);
  const uint64_t cell_height = uint64_t{1} << (kCurveBits - params.cell_bits);
  curve_.push_back(CurveAt(0, params.strip_bits));
  while (curve_.back().high > tail_height) {
    curve_.push_back(CurveAt(curve_.size(), params.strip_bits));
  }
  // The curve falls: over strip i it is highest at i and lowest at i + 1. What cannot be shown to
  // end below the curve becomes boundary, which costs a test and is never wrong.
  for (std::size_t i = 0; i < num_strips(); ++i) {
    const auto strip = static_cast<uint16_t>(i);
    for (uint16_t level = 0; level * cell_height < curve_[i].high; ++level) {
      if ((level + uint64_t{1}) * cell_height <= curve_[i + 1].low) {
        inside_.push_back(strip);
      } else {
        boundary_.push_back({.strip = strip, .level = level});
      }
    }
  }
}

CurveSide StripTable::SideInCell(Cell cell, absl::uint128 x_digits, int num_x_digits,
                                 uint64_t y_digits, int num_y_digits) const {
  const Range x = RangeOf(x_digits, num_x_digits, kFractionBits);
  const Range y = RangeOf((absl::uint128(cell.level) << num_y_digits) | y_digits,
                          params_.cell_bits + num_y_digits, kCurveBits);
  const Bounds start = curve_[cell.strip];
  const int shift = DecayShift(params_.strip_bits);
  // The curve at the far end of x, rounded down: the decay is rounded up.
  const auto most = absl::Uint128Low64(((DecayProduct(cell.strip, x.high) - 1) >> shift) + 1);
  const absl::uint128 low =
      (absl::uint128(start.low) * (ExpOfMinus(most) - kExpError)) >> kCurveBits;
  if (y.high <= low) return CurveSide::kBelow;
  const auto least = absl::Uint128Low64(DecayProduct(cell.strip, x.low) >> shift);
  const absl::uint128 high =
      ((absl::uint128(start.high) * (ExpOfMinus(least) + kExpError)) >> kCurveBits) + 1;
  if (y.low >= high) return CurveSide::kAbove;
  return CurveSide::kUnknown;
}

}  // namespace topicwall::mechanism
