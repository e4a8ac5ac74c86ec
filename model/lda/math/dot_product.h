// The inner product of a vector in double with one of any floating-point type, in double.
//
// Four sums, since the additions of a single one would wait for each other: entry i is in sum
// i mod 4, in a fixed order. Threads: pure function.
#ifndef TOPICWALL_MODEL_LDA_MATH_DOT_PRODUCT_H_
#define TOPICWALL_MODEL_LDA_MATH_DOT_PRODUCT_H_

#include <cstddef>

#include "absl/types/span.h"

namespace topicwall::lda {

// Σ_i a_i b_i; `b` has as many entries as `a`.
template <typename Number>
double DotProduct(absl::Span<const double> a, const Number* b) {
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= a.size(); i += 4) {
    for (size_t j = 0; j < 4; ++j) sums[j] += a[i + j] * double{b[i + j]};
  }
  for (; i < a.size(); ++i) sums[i % 4] += a[i] * double{b[i]};
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_MATH_DOT_PRODUCT_H_
