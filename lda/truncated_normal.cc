#include "lda/truncated_normal.h"

#include <array>
#include <cstddef>

#include "lda/array_math_choice.h"

namespace topicwall::lda {
namespace {

constexpr double kTableEnd = 8;  // the table is of z in [-8, 8]
constexpr int kStepsPerUnit = 32;
constexpr size_t kIntervals = 2 * 8 * kStepsPerUnit;
constexpr double kStep = 1.0 / kStepsPerUnit;
// Runge–Kutta steps to an interval: the error of each is about step^5.
constexpr int kSubsteps = 8;
constexpr double kLogRootTwoPi = 0.91893853320467274178;

// m(−x) = 1/(x + 2/(x + 3/(x + …))), x >= kTableEnd: Mills's ratio is 1/(x + m). Twenty levels are
// exact to the last bits there.
double FarMean(double x) {
  double tail = x;
  for (int level = 20; level >= 2; --level) tail = x + level / tail;
  return 1 / tail;
}

TruncatedNormal FarLeft(double z) {
  const double x = -z;
  const double mean = FarMean(x);
  // 1 − h·mean with h = x + mean, of which little is left: 1 − x·mean − mean² without cancelling.
  // x·mean = 1 − 2·mean/t with t the continued fraction from its second level on.
  double tail = x;
  for (int level = 20; level >= 3; --level) tail = x + level / tail;
  const double variance = mean * (2 / tail - mean);
  return {.log_mass = -FastestArrayMath().log(x + mean) - kLogRootTwoPi,
          .mean = mean,
          .variance = variance};
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
  table[0] = FarLeft(-kTableEnd);
  for (size_t i = 0; i < kIntervals; ++i) {
    const double left = -kTableEnd + kStep * static_cast<double>(i);
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
  static const auto* const table = new Table(MakeTable());
  if (z < -kTableEnd) return FarLeft(z);
  // Φ(8) is 1 but for 6e-16.
  if (!(z < kTableEnd)) return {.log_mass = z * z / 2, .mean = z, .variance = 1};
  const double position = (z + kTableEnd) * kStepsPerUnit;
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
