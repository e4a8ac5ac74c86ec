// exp(ψ(x)) for the E-step: one vector at a time, one division, one exponential, no logarithm.
//
// Two steps of the recurrence, and the asymptotic series of exp(ψ(z + 1/2)) (exp_digamma.h)
// replaced by the minimax polynomial of its correction over z >= 3/2:
//   exp(ψ(x)) = exp(ψ(x + 2)) · exp(−1/x − 1/(x + 1)),  exp(ψ(z + 1/2)) ≈ z + P(1/z²)/z
// with z = x + 3/2. P is off by 4.1e-8 relative at most; what counts is rounding 1/x under the
// exponential: relative error below 6e-7·(1 + 1/x). 0 where the value is below float's
// smallest normal number (x < 0.0115), so that no result is subnormal.
//
// Domain: x > 0; from 1e12 on the result is x + 3/2, which is x in float.
#ifndef TOPICWALL_MODEL_LDA_MATH_SIMD_EXP_DIGAMMA_SIMD_H_
#define TOPICWALL_MODEL_LDA_MATH_SIMD_EXP_DIGAMMA_SIMD_H_

namespace topicwall::lda {

// exp(−s) for s >= 0, 0 from s = 87.33 on. Relative error below 2e-7.
template <class Simd>
inline typename Simd::Floats ExpOfMinus(typename Simd::Floats s) {
  using Floats = typename Simd::Floats;
  const auto constant = [](float x) { return Simd::Broadcast(x); };
  const Floats largest = constant(87.33f);
  // −s = n·ln 2 + r. Adding 1.5·2^23 rounds to an integer; the 127 on top is the bias of
  // float's exponent, so that 2^n is the sum's last bits shifted up.
  const Floats round = constant(12582912.0f + 127.0f);
  const Floats shifted = Simd::MulAdd(s, constant(-1.44269504f), round);
  const Floats n = shifted - round;
  // ln 2 in two parts, the first short enough that n times it is exact.
  const Floats r =
      Simd::MulAdd(n, constant(2.12194440e-4f), -Simd::MulAdd(n, constant(0.693359375f), s));
  // exp(r) = 1 + r + r²·(minimax polynomial), within 3.1e-9 of it; by pairs, for a short chain.
  const Floats r2 = r * r;
  const Floats low = Simd::MulAdd(r, constant(0.166665204f), constant(0.499999934f));
  const Floats middle = Simd::MulAdd(r, constant(0.00836874515f), constant(0.04166839076f));
  const Floats high = Simd::MulAdd(r2, constant(0.00138145422f), middle);
  const Floats power = Simd::MulAdd(Simd::MulAdd(r2, high, low), r2, r) + constant(1.0f);
  const Floats scale = Simd::FromBits(Simd::Bits(shifted) << 23);
  return Simd::KeepWhereLess(power * scale, s, largest);
}

template <class Simd>
inline typename Simd::Floats ExpDigammaOf(typename Simd::Floats x) {
  using Floats = typename Simd::Floats;
  const auto constant = [](float value) { return Simd::Broadcast(value); };
  const Floats one = constant(1.0f);
  const Floats z = x + constant(1.5f);
  const Floats product = Simd::MulAdd(x, x, x);  // x(x + 1)
  const Floats inverse = one / (product * z);
  const Floats one_over_z = product * inverse;
  // 1/x + 1/(x + 1) = (2x + 1)/(x(x + 1)).
  const Floats steps = ((x + x) + one) * (z * inverse);
  const Floats u = one_over_z * one_over_z;
  const Floats low = Simd::MulAdd(u, constant(-0.0063425979f), constant(0.0416634334f));
  const Floats high = Simd::MulAdd(u, constant(-0.00118918626f), constant(0.00287284699f));
  const Floats series = Simd::MulAdd(Simd::MulAdd(u * u, high, low), one_over_z, z);
  return series * ExpOfMinus<Simd>(steps);
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_SIMD_EXP_DIGAMMA_SIMD_H_
