// Three ranges of z. Far on the left Φ(z) underflows long before the moments are of no interest:
// there a continued fraction. Far on the right nothing is cut off. Between them a table of values
// and slopes, made by integrating mean' = 1 − h·mean from the left end, where the fraction is good,
// to the right: no erfc is needed, whose last bit would be libm's.
#include "model/lda/denoise/prior/truncated_normal.h"

#include <array>
#include <cstddef>

#include "model/lda/math/array_math_choice.h"

namespace topicwall::lda {
namespace {

constexpr int kTableBegin = -24, kTableEnd = 8;
constexpr int kStepsPerUnit = 32;
constexpr size_t kIntervals = (kTableEnd - kTableBegin) * kStepsPerUnit;
constexpr double kStep = 1.0 / kStepsPerUnit;
// Runge–Kutta steps to an interval: the error of each is about step^5.
constexpr int kSubsteps = 8;
constexpr double kLogRootTwoPi = 0.91893853320467274178;

// z below kTableBegin, x = −z: mean = 1/(x + 2/t) with t = x + 3/(x + 4/(x + …)). Six levels are
// exact to 1e-12 there.
TruncatedNormal FarLeft(double z) {
  const double x = -z;
  double t = x;
  for (int level = 6; level >= 3; --level) t = x + level / t;
  const double mean = 1 / (x + 2 / t);
  // 1 − h·mean with h = x + mean is nearly 0; but 1 − x·mean = 2·mean/t, and nothing cancels.
  return {.log_mass = -FastestArrayMath().log(x + mean) - kLogRootTwoPi,
          .mean = mean,
          .variance = mean * (2 / t - mean)};
}

// mean' = 1 − h·mean, h = mean − z.
double Slope(double z, double mean) { return 1 - (mean - z) * mean; }

// One step of the classical Runge–Kutta method; an error shrinks on its way to the right.
TruncatedNormal Advance(const TruncatedNormal& from, double z, double step) {
  const double half = step / 2;
  const double a = Slope(z, from.mean);
  const double middle_a = from.mean + half * a;
  const double b = Slope(z + half, middle_a);
  const double middle_b = from.mean + half * b;
  const double c = Slope(z + half, middle_b);
  const double end = from.mean + step * c;
  const double d = Slope(z + step, end);
  // log_mass' = mean, integrated by the same stages.
  return {.log_mass = from.log_mass + step / 6 * (from.mean + 2 * middle_a + 2 * middle_b + end),
          .mean = from.mean + step / 6 * (a + 2 * b + 2 * c + d),
          .variance = 0};
}

using Table = std::array<TruncatedNormal, kIntervals + 1>;

Table MakeTable() {
  Table table;
  table[0] = FarLeft(kTableBegin);
  for (size_t i = 0; i < kIntervals; ++i) {
    const double left = kTableBegin + kStep * static_cast<double>(i);
    TruncatedNormal node = table[i];
    for (int s = 0; s < kSubsteps; ++s) {
      node = Advance(node, left + kStep / kSubsteps * s, kStep / kSubsteps);
    }
    node.variance = Slope(left + kStep, node.mean);
    table[i + 1] = node;
  }
  return table;
}

// The cubic through value and slope of both ends of an interval, at `t` in [0, 1] of it.
double Cubic(double left, double left_slope, double right, double right_slope, double t) {
  const double rise = right - left;
  const double u = 1 - t;
  const double bend = t * u * (u * (kStep * left_slope - rise) - t * (kStep * right_slope - rise));
  return left + t * rise + bend;
}

}  // namespace

TruncatedNormal TruncatedNormalAt(double z) {
  // Never freed: other statics may still denoise when this one would be gone.
  static const auto* const table = new Table(MakeTable());
  if (z < kTableBegin) return FarLeft(z);
  // Φ(8) is 1 but for 6e-16.
  if (!(z < kTableEnd)) return {.log_mass = z * z / 2, .mean = z, .variance = 1};
  const double position = (z - kTableBegin) * kStepsPerUnit;
  const auto i = static_cast<size_t>(position);
  const double t = position - static_cast<double>(i);
  const TruncatedNormal& left = (*table)[i];
  const TruncatedNormal& right = (*table)[i + 1];
  const double mean = Cubic(left.mean, left.variance, right.mean, right.variance, t);
  return {.log_mass = Cubic(left.log_mass, left.mean, right.log_mass, right.mean, t),
          .mean = mean,
          .variance = Slope(z, mean)};
}

}  // namespace topicwall::lda
