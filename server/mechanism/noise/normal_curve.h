// On which side of the curve y = e^(-z²/2) a point lies of which only some digits are known:
// decided for certain, or not at all.
//
//   DyadicInterval z = {.low = Natural(3), .bits = 2};   // [3/4, 4/4]
//   DyadicInterval y = {.low = Natural(1), .bits = 1};   // [1/2, 2/2]
//   switch (SideOf(z, y)) { case CurveSide::kBelow: … case kAbove: … case kUnknown: … }
//
// kBelow: every point of the square z × y but its corner is below the curve. kAbove: every point
// is on or above it. kUnknown: neither could be shown; ask again with more digits. A point of
// which ever more digits are known is decided sooner or later unless it lies on the curve,
// which a random point does with probability 0.
//
// How: the curve falls, so a square is below it if y_high·e^(z_high²/2) <= 1 and above it if
// y_low·e^(z_low²/2) >= 1. e^a = Σ a^m/m! has positive terms only. In integers of 2^-P:
//   - the lower bound rounds every term down, and stops at the first that is 0;
//   - the upper bound rounds every term up and stops after a term t_m <= 1 with m >= 2a; the
//     terms left out are below t_m·(1/2 + 1/4 + …) = t_m, which is added.
// a = z²/2 itself is exact. Either bound is within a relative 2^-P·(m + 1) of e^a: P is taken
// 32 above the number of digits known.
//
// Privacy: PRIVATE. Threads: any.
// Cost: some 10 µs for a hundred digits; the sampler needs it once in 10^4 samples.
#ifndef TOPICWALL_SERVER_MECHANISM_NOISE_NORMAL_CURVE_H_
#define TOPICWALL_SERVER_MECHANISM_NOISE_NORMAL_CURVE_H_

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

namespace topicwall::mechanism {

// Of any size; no value here is negative.
using Natural = boost::multiprecision::cpp_int;

// [low, low + 1]·2^-bits, bits >= 0.
struct DyadicInterval {
  Natural low;
  int bits;

  // Halves it `count` <= 64 times: the next digits are those of `digits` < 2^count.
  void Extend(int count, uint64_t digits);
};

enum class CurveSide { kBelow, kAbove, kUnknown };

CurveSide SideOf(const DyadicInterval& z, const DyadicInterval& y);

// Bounds on 2^precision·e^(z²/2), where z = numerator·2^-bits.
Natural ExpOfHalfSquareLowerBound(const Natural& numerator, int bits, int precision);
Natural ExpOfHalfSquareUpperBound(const Natural& numerator, int bits, int precision);

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_NOISE_NORMAL_CURVE_H_
