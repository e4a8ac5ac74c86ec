// The digamma function ψ and exp(ψ(x)), for x > 0.
//
// exp(ψ(x)) is what the E-step needs and is smoother than ψ. With ψ(x) = ψ(x + n) − Σ_{i<n} 1/(x+i)
// and, for z away from 0,
//   exp(ψ(z + 1/2)) ~ z + 1/(24 z) − 37/(5760 z³) + 10313/(2903040 z⁵) − 5509121/(1393459200 z⁷)
// no logarithm is needed. The scaled form uses no libm and has the same bits everywhere; the
// kernels have their own in float, exp_digamma_simd.h.
// Threads: pure functions.
#ifndef TOPICWALL_MODEL_LDA_MATH_EXP_DIGAMMA_H_
#define TOPICWALL_MODEL_LDA_MATH_EXP_DIGAMMA_H_

namespace topicwall::lda {

// exp(ψ(x)) as factor·exp(log_scale), for values far below any floating-point number.
// factor in [20, x + 20], log_scale <= 0; relative error of the product below 1e-14·(1 + 1/x).
struct ScaledValue {
  double factor;
  double log_scale;
};
ScaledValue ScaledExpDigamma(double x);

// ψ(x) itself; error below 1e-14·max(1, |ψ(x)|).
double Digamma(double x);

// ψ(x) within 1e-9·max(1, |ψ(x)|), which is finer than float, in a tenth of the time: with one
// division and one logarithm.
double QuickDigamma(double x);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_EXP_DIGAMMA_H_
