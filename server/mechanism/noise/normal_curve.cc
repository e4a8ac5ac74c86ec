#include "server/mechanism/noise/normal_curve.h"

#include <algorithm>

namespace topicwall::mechanism {
namespace {

Natural PlusOne(Natural number) {
  number += Natural(1);
  return number;
}

}  // namespace

void DyadicInterval::Extend(int count, uint64_t digits) {
  low.ShiftLeft(count);
  low += Natural(digits);
  bits += count;
}

Natural ExpOfHalfSquareLowerBound(const Natural& numerator, int bits, int precision) {
  const Natural square = numerator * numerator;  // a = square·2^-(2·bits + 1)
  Natural term = Natural::PowerOfTwo(precision);
  Natural sum = term;
  for (uint32_t m = 1; !term.IsZero(); ++m) {
    term = term * square;
    term.ShiftRightDown(2 * bits + 1);
    term.DivideDown(m);
    sum += term;
  }
  return sum;
}

Natural ExpOfHalfSquareUpperBound(const Natural& numerator, int bits, int precision) {
  const Natural square = numerator * numerator;
  const Natural one(1);
  Natural twice_a = square;  // rounded up
  twice_a.ShiftRightUp(2 * bits);
  Natural term = Natural::PowerOfTwo(precision);
  Natural sum = term;
  for (uint32_t m = 1;; ++m) {
    term = term * square;
    term.ShiftRightUp(2 * bits + 1);
    term.DivideUp(m);
    sum += term;
    if (Compare(term, one) <= 0 && Compare(Natural(m), twice_a) >= 0) break;
  }
  sum += term;  // all that were left out
  return sum;
}

CurveSide SideOf(const DyadicInterval& z, const DyadicInterval& y) {
  const int precision = std::max(z.bits, y.bits) + 32;
  // y·e^a against 1, both times 2^(y.bits + precision).
  const Natural one = Natural::PowerOfTwo(y.bits + precision);
  const Natural high = ExpOfHalfSquareUpperBound(PlusOne(z.low), z.bits, precision);
  if (Compare(PlusOne(y.low) * high, one) <= 0) return CurveSide::kBelow;
  const Natural low = ExpOfHalfSquareLowerBound(z.low, z.bits, precision);
  if (Compare(y.low * low, one) >= 0) return CurveSide::kAbove;
  return CurveSide::kUnknown;
}

}  // namespace topicwall::mechanism
