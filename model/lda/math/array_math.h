// The loops over whole K×V matrices: logarithms, digammas and exponentials of every entry.
//
//   const ArrayMath& math = FastestArrayMath();                            // array_math_choice.h
//   math.digamma_minus(lambda_k, V, math.digamma(sum_of_lambda_k), row);   // E[log β_k]
//
// One source (array_math_loops.h) is compiled for several kinds of processor. Unlike an E-step
// kernel it has no name to be recorded, because all of them give the same bits: they work in double
// with additions, multiplications and divisions alone, each rounded by itself, never fused, and in
// an order that does not depend on the width of a vector. So a fit that was begun on one processor
// goes on with the same bits on another, and neither depends on libm.
//
// Accuracy, before the result is rounded to float: log within 1e-12·max(1, |log x|), ψ within
// 1e-9·max(1, |ψ(x)|), exp the bits of portable_exp.h.
//
// Nothing but plain data is in here, because files that are compiled for a newer processor include
// it (e_step_kernel.h says why). Privacy: nothing is kept. Threads: pure functions.
#ifndef TOPICWALL_MODEL_LDA_MATH_ARRAY_MATH_H_
#define TOPICWALL_MODEL_LDA_MATH_ARRAY_MATH_H_

#include <cstddef>

namespace topicwall::lda {

// Exponents below this count as weight 0.
inline constexpr double kSmallestExponent = -80.0;
// A block of weights has at most so many terms: its part of a topic is a few cache lines.
inline constexpr size_t kMostBlockTerms = 64;

// Some terms of ℓ on their way to the E-step's weights. For each term i: largest_i = max_k ℓ_ki,
// b_ki = exp(ℓ_ki − largest_i) rounded to float, 0 where that exponent is below kSmallestExponent,
// and flat_scale_i = 1 / Σ_k b_ki, added up in double in the order of the topics.
struct WeightBlock {
  const float* log_topics;  // ℓ of topic 0 at the block's first term; topics are rows
  size_t topic_stride;      // from there to the next topic: V
  size_t num_topics;        // K
  size_t num_terms;         // 1 … kMostBlockTerms
  float* weights;           // out: b, terms are rows, K floats each
  size_t weight_stride;     // from one term to the next, at least K; what is between is left alone
  float* largest;           // out: num_terms
  float* flat_scales;       // out: num_terms
};

struct ArrayMath {
  const char* name;  // of the kind of processor

  // Σ x in double: eight sums, entry i in sum i mod 8, added up at the end.
  double (*sum)(const float* x, size_t n);
  // log x and ψ(x) for x > 0, not subnormal in double.
  double (*log)(double x);
  double (*digamma)(double x);

  // out[i] = exp y[i], rounded to float. y[i] <= 0 or NaN.
  void (*exp)(const double* y, size_t n, float* out);
  // out[i] = log x[i] − shift or ψ(x[i]) − shift as the logarithm of a probability: within
  // [kLogTopicFloor, 0]. x[i] > 0 and finite; `out` may be `x`.
  void (*log_minus)(const float* x, size_t n, double shift, float* out);
  void (*digamma_minus)(const float* x, size_t n, double shift, float* out);

  void (*fill_weights)(const WeightBlock& block);
};

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_ARRAY_MATH_H_
