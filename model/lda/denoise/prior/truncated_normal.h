// What is known of a positive number with an exponential prior, of which a normal error away
// something was read: the arithmetic in the middle of noise_denoiser.h.
//
// Let x >= 0 have density e^(−x/μ)/μ and y = x + τ·N(0, 1). With z = y/τ − τ/μ, x given y is
// N(τz, τ²) cut to x >= 0, and
//   density of y  = e^(−y²/2τ²)/μ · Φ(z)e^(z²/2)      log_mass = ln(Φ(z)e^(z²/2))
//   E[x | y]      = τ·mean                            mean     = z + h,       h = φ(z)/Φ(z)
//   Var[x | y]    = τ²·variance                       variance = 1 − h·(z + h)
// log_mass grows like z²/2 for z → ∞ and falls like −ln(−z√2π) for z → −∞; nothing overflows or
// cancels in between: mean is > 0 and about −1/z far on the left.
//
// Accuracy, for every finite |z| <= 1e150: mean and variance within 1e-8 relative, log_mass within
// 1e-8·max(1, |log_mass|). By cubic interpolation in a table for −24 <= z < 8 (the derivatives are
// known: log_mass' = mean, mean' = variance), the continued fraction of Mills's ratio on the left.
// Only additions, multiplications, divisions and array_math.h: the same bits on every processor.
// Threads: a pure function. Cost: some 5 ns in the table.
#ifndef TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TRUNCATED_NORMAL_H_
#define TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TRUNCATED_NORMAL_H_

namespace topicwall::lda {

struct TruncatedNormal {
  double log_mass;
  double mean;
  double variance;
};

// z must be finite, |z| <= 1e150.
TruncatedNormal TruncatedNormalAt(double z);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_DENOISE_PRIOR_TRUNCATED_NORMAL_H_
