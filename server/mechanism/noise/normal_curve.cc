#include "server/mechanism/noise/normal_curve.h"

#include <algorithm>

namespace topicwall::mechanism {
namespace {

Natural PowerOfTwo(int exponent) {
  Natural power;
  bit_set(power, static_cast<unsigned>(exponent));
  return power;
}

// ⌈number·2^-bits⌉
Natural ShiftedUp(const Natural& number, int bits) {
  Natural shifted = number >> bits;
  if (number != 0 && lsb(number) < static_cast<unsigned>(bits)) ++shifted;
  return shifted;
}

}  // namespace

void DyadicInterval::Extend(int count, uint64_t digits) {
  low = (low << count) + digits;
  bits += count;
}

// Terms grow while m < a and shrink afterwards; a term that is 0 once stays 0, and whatever it may
// leave out is positive, so that the sum remains a lower bound.
Natural ExpOfHalfSquareLowerBound(const Natural& numerator, int bits, int precision) {
  const Natural square = numerator * numerator;  // a = square·2^-(2·bits + 1)
  Natural term = PowerOfTwo(precision);
  Natural sum = term;
  for (uint32_t m = 1; term != 0; ++m) {
    term = ((term * square) >> (2 * bits + 1)) / m;
    sum += term;
  }
  return sum;
}

// A term that is rounded up never becomes 0, so this cannot stop as the lower bound does: it stops
// when a term is 2^-P at most and each one left out is at most half of the one before it (m >= 2a).
Natural ExpOfHalfSquareUpperBound(const Natural& numerator, int bits, int precision) {
  const Natural square = numerator * numerator;
  const Natural twice_a = ShiftedUp(square, 2 * bits);  // rounded up
  Natural term = PowerOfTwo(precision);
  Natural sum = term;
  for (uint32_t m = 1;; ++m) {
    term = (ShiftedUp(term * square, 2 * bits + 1) + (m - 1)) / m;
    sum += term;
    if (term <= 1 && m >= twice_a) break;
  }
  return sum + term;  // all that were left out
}

// Of the square's corners two decide. The curve is lowest over z's far end: if y's far end is not
// above it there, nothing of the square is. It is highest over the near ends, where the lower bound
// of e^a answers for the other side. Whatever neither shows is unknown, never guessed.
CurveSide SideOf(const DyadicInterval& z, const DyadicInterval& y) {
  // 32 digits beyond those known: the error of e^a is far smaller than the square, so that hardly a
  // square is unknown but those that the curve crosses.
  const int precision = std::max(z.bits, y.bits) + 32;
  // y·e^a against 1, both times 2^(y.bits + precision).
  const Natural one = PowerOfTwo(y.bits + precision);
  const Natural high = ExpOfHalfSquareUpperBound(z.low + 1, z.bits, precision);
  if ((y.low + 1) * high <= one) return CurveSide::kBelow;
  const Natural low = ExpOfHalfSquareLowerBound(z.low, z.bits, precision);
  if (y.low * low >= one) return CurveSide::kAbove;
  return CurveSide::kUnknown;
}

}  // namespace topicwall::mechanism
