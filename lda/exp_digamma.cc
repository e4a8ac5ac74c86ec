#include "lda/exp_digamma.h"

#include <cmath>
#include <cstddef>

#include "lda/portable_exp.h"

namespace topicwall::lda {
namespace {

// exp(ψ(z + 1/2)) by its asymptotic series.
template <typename Real>
Real Series(Real z) {
  const Real r = Real{1} / z;
  const Real r2 = r * r;
  constexpr Real kA = Real{1} / 24, kB = Real{37} / 5760, kC = Real{10313} / 2903040;
  constexpr Real kD = static_cast<Real>(5509121.0 / 1393459200.0);
  return z + r * (kA - r2 * (kB - r2 * (kC - r2 * kD)));
}

// Σ_{i<4} 1/(x + i) with one division: with p = x(x + 3) it is (2x + 3)(1/p + 1/(p + 2)).
inline float FourReciprocals(float x) {
  const float p = x * (x + 3.0f);
  return (2.0f * (2.0f * x + 3.0f) * (p + 1.0f)) / (p * (p + 2.0f));
}

// Beyond this, exp(ψ(x)) = x to float precision, and the products above would overflow at 10^9.
constexpr float kLargeInput = 1e8f;

}  // namespace

void ExpDigamma(absl::Span<const float> input, absl::Span<float> output) {
  const size_t size = input.size();
  const float* in = input.data();
  float* out = output.data();
  for (size_t i = 0; i < size; ++i) {
    const float x = in[i];
    const float bounded = x < kLargeInput ? x : kLargeInput;
    const float value = Series(bounded + 3.5f) * PortableExp(-FourReciprocals(bounded));
    out[i] = x < kLargeInput ? value : x;
  }
}

ScaledValue ScaledExpDigamma(double x) {
  // Twenty steps put the first neglected term of the series below 1e-15.
  double log_scale = 0;
  for (int i = 0; i < 20; ++i) log_scale -= 1.0 / (x + i);
  return {.factor = Series(x + 19.5), .log_scale = log_scale};
}

double Digamma(double x) {
  // The recurrence by itself costs digits for large x, where the series needs no help.
  double shift = 0;
  for (; x < 20; x += 1) shift -= 1.0 / x;
  return std::log(Series(x - 0.5)) + shift;
}

}  // namespace topicwall::lda
