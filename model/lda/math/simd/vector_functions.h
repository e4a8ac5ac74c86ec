// exp, log and ψ of vectors of doubles of any width: the same bits for every width.
//
// Simd has Doubles, Floats and Longs: as many double, float and int64_t to a vector. It must be
// a type of an unnamed namespace: then nothing that is compiled for a newer processor can be linked
// in where an older one runs. Sources that include this must be compiled with -ffp-contract=off.
// Accuracy: array_math.h.
#ifndef TOPICWALL_MODEL_LDA_MATH_SIMD_VECTOR_FUNCTIONS_H_
#define TOPICWALL_MODEL_LDA_MATH_SIMD_VECTOR_FUNCTIONS_H_

#include <cstdint>

namespace topicwall::lda {

template <class Simd>
struct VectorFunctions {
  using Doubles = typename Simd::Doubles;
  using Longs = typename Simd::Longs;

  static Doubles Broadcast(double x) { return Doubles{} + x; }

  // portable_exp.h: y <= 0. y = n·ln 2 + r with |r| <= ln(2)/2, a Taylor polynomial in r, then
  // times 2^n.
  static Doubles Exp(Doubles y) {
    constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
    constexpr double kLog2E = 1.44269504088896338700, kRound = 6755399441055744.0;  // 1.5·2^52
    const Doubles smallest = Broadcast(-708.3);
    const Doubles bounded = y < smallest ? smallest : y;
    const Doubles shifted = bounded * kLog2E + kRound;
    const Doubles n = shifted - kRound;
    const Doubles r = (bounded - n * kLn2High) - n * kLn2Low;
    Doubles p = Broadcast(1.0 / 6227020800);
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
    const Longs exponent =
        reinterpret_cast<Longs>(shifted) - reinterpret_cast<Longs>(Broadcast(kRound));
    const Doubles scale = reinterpret_cast<Doubles>((exponent + 1023) << 52);
    return y < smallest ? Doubles{} : p * scale;
  }

  // x = 2^n·m with m in [√½, √2), and log m = 2 artanh s = 2(s + s³/3 + …), s = (m − 1)/(m + 1):
  // |s| < 0.1716, so that what follows s^15 is below 1e-12. x > 0, normal.
  static Doubles Log(Doubles x) {
    constexpr int64_t kOne = 0x3ff0000000000000, kRootHalf = 0x3fe6a09e667f3bcd;
    constexpr int64_t kMantissa = 0x000fffffffffffff, kTwoTo52 = 0x4330000000000000;
    constexpr double kLn2 = 6.93147180559945286227e-01;
    const Longs bits = reinterpret_cast<Longs>(x) + (kOne - kRootHalf);
    const Doubles m = reinterpret_cast<Doubles>((bits & kMantissa) + kRootHalf);
    // The exponent, biased, as the last bits of a double: there is no conversion of 64 bits before
    // AVX-512.
    const Doubles n = reinterpret_cast<Doubles>((bits >> 52) | kTwoTo52) - (0x1p52 + 1023);
    const Doubles s = (m - 1.0) / (m + 1.0);
    const Doubles s2 = s * s;
    Doubles p = Broadcast(2.0 / 15);
    p = p * s2 + 2.0 / 13;
    p = p * s2 + 2.0 / 11;
    p = p * s2 + 2.0 / 9;
    p = p * s2 + 2.0 / 7;
    p = p * s2 + 2.0 / 5;
    p = p * s2 + 2.0 / 3;
    p = p * s2 + 2.0;
    return n * kLn2 + p * s;
  }

  // ψ(x) = ψ(x + 6) − Σ_{i<6} 1/(x + i), and exp(ψ(z + 1/2)) by its series (exp_digamma.h). With
  // p = x(x + 5) the steps pair up to (2x + 5)(1/p + 1/(p + 4) + 1/(p + 6)).
  //
  // In two parts, because a loop over the first and then one over the second is faster: the chain
  // of operations of both at once is longer than what a processor looks ahead.
  struct DigammaParts {
    Doubles log_argument;
    Doubles steps;
  };
  static Doubles Digamma(DigammaParts parts) { return Log(parts.log_argument) - parts.steps; }
  static DigammaParts PartsOfDigamma(Doubles x) {
    // Beyond, the steps and the series' corrections are below 1e-11, and powers could overflow.
    const Doubles most = Broadcast(1e12);
    const Doubles bounded = x < most ? x : most;
    const Doubles p = bounded * (bounded + 5.0);
    const Doubles q = p * (p + 10.0) + 24.0;
    const Doubles z = bounded + 5.5;
    const Doubles pq = p * q;
    const Doubles inverse = 1.0 / (pq * z);
    const Doubles r = pq * inverse;  // 1/z
    const Doubles r2 = r * r;
    const Doubles steps = (2.0 * bounded + 5.0) * ((3.0 * p + 20.0) * p + 24.0) * (z * inverse);
    constexpr double kA = 1.0 / 24, kB = 37.0 / 5760, kC = 10313.0 / 2903040;
    constexpr double kD = 5509121.0 / 1393459200.0;
    const Doubles correction = r * (kA - r2 * (kB - r2 * (kC - r2 * kD)));
    return {.log_argument = x + 5.5 + correction, .steps = steps};
  }
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_SIMD_VECTOR_FUNCTIONS_H_
