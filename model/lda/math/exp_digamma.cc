#include "model/lda/math/exp_digamma.h"

#include <cmath>

namespace topicwall::lda {
namespace {

// exp(ψ(z + 1/2)) by its asymptotic series.
// The argument is z + ½ because the series about the middle has odd powers of 1/z alone.
double Series(double z) {
  const double r = 1 / z;
  const double r2 = r * r;
  constexpr double kA = 1.0 / 24, kB = 37.0 / 5760, kC = 10313.0 / 2903040;
  constexpr double kD = 5509121.0 / 1393459200.0;
  return z + r * (kA - r2 * (kB - r2 * (kC - r2 * kD)));
}

}  // namespace

// The twenty steps ψ(x) = ψ(x + 20) − Σ 1/(x + i) stay apart as a logarithm: for x near 0 the first
// of them alone, e^{−1/x}, is below every double.
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

double QuickDigamma(double x) {
  // Eight steps with one division: with p = x(x + 7), (x + i)(x + 7 − i) = p + i(7 − i).
  const double p = x * (x + 7);
  const double outer = p * (p + 6), inner = (p + 10) * (p + 12);
  const double steps = (2 * x + 7) * ((2 * p + 6) * inner + (2 * p + 22) * outer) / (outer * inner);
  return std::log(Series(x + 7.5)) - steps;
}

}  // namespace topicwall::lda
