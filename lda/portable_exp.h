// exp for y <= 0 out of additions, multiplications and bit moves only.
//
// Why not std::exp: glibc chooses its code by CPU, so the last bit would depend on the machine, and
// the E-step promises bits that do not.
//
// y = n·ln 2 + r with |r| <= ln(2)/2, a Taylor polynomial in r, then times 2^n.
// Domain: y <= 0, −infinity included; NaN stays NaN. Larger y are not for this function.
// Accuracy: within 4e-16 relative.
// Results below the smallest normal number are 0 (y < −708.3).
// Threads: a pure function.
#ifndef TOPICWALL_LDA_PORTABLE_EXP_H_
#define TOPICWALL_LDA_PORTABLE_EXP_H_

#include <bit>
#include <cstdint>

namespace topicwall::lda {

inline double PortableExp(double y) {
  constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  constexpr double kLog2E = 1.44269504088896338700, kRound = 6755399441055744.0;  // 1.5·2^52
  constexpr double kSmallest = -708.3;
  const double bounded = y < kSmallest ? kSmallest : y;
  const double shifted = bounded * kLog2E + kRound;
  const double n = shifted - kRound;
  const double r = (bounded - n * kLn2High) - n * kLn2Low;
  double p = 1.0 / 6227020800;
  p = p * r + 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = (p * r * r + r) + 1.0;
  const uint64_t exponent = std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(kRound);
  const double scale = std::bit_cast<double>((exponent + 1023u) << 52);
  return y < kSmallest ? 0.0 : p * scale;
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_PORTABLE_EXP_H_
