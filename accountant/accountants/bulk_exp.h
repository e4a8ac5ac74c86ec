// e^x for a whole row of numbers, two or three times as fast as one by one.
//
// No branch and no table, so that compilers turn the loop into vector instructions; without fused
// operations the bits are the same in every width. Error below 1 unit in the last place over
// [−708, 709] (measured 0.7). Below −708 the result is that at −708, 3e-308: a positive number
// from above, never a denormal one. Above 709, and for NaN, results mean nothing. PUBLIC,
// stateless. Method: x = n ln 2 + r with |r| ≤ ½ ln 2, e^r by its Taylor series to r^13 (rest below
// 5e-18).
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_BULK_EXP_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_BULK_EXP_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "absl/types/span.h"

namespace topicwall::accountant {

inline double BranchFreeExp(double x) {
  constexpr double kToInteger = 0x1.8p52;  // adding it rounds to an integer, kept in the low bits
  constexpr double kLogTwoHigh = 0x1.62e42fee00000p-1;  // times n exact
  constexpr double kLogTwoLow = 0x1.a39ef35793c76p-33;
  x = std::max(x, -708.0);
  const double shifted = x * 1.4426950408889634 + kToInteger;
  const double n = shifted - kToInteger;
  const double r = (x - n * kLogTwoHigh) - n * kLogTwoLow;
  double series = 1.0 / 6227020800;  // 1/13!
  series = series * r + 1.0 / 479001600;
  series = series * r + 1.0 / 39916800;
  series = series * r + 1.0 / 3628800;
  series = series * r + 1.0 / 362880;
  series = series * r + 1.0 / 40320;
  series = series * r + 1.0 / 5040;
  series = series * r + 1.0 / 720;
  series = series * r + 1.0 / 120;
  series = series * r + 1.0 / 24;
  series = series * r + 1.0 / 6;
  series = series * r + 0.5;
  const double fraction = 1 + (r + r * r * series);
  const uint64_t exponent = (std::bit_cast<uint64_t>(shifted) + 1023) << 52;
  return fraction * std::bit_cast<double>(exponent);
}

// Replaces every value by its exponential.
inline void BulkExp(absl::Span<double> values) {
  for (double& value : values) value = BranchFreeExp(value);
}

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_BULK_EXP_H_
