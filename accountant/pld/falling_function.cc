#include "accountant/pld/falling_function.h"

#include <algorithm>
#include <cmath>

namespace topicwall::accountant {
namespace {

// Two arguments of a falling function, its value at least / at most a target there.
struct Crossing {
  double before;
  double after;
};

// Closes in by regula falsi, every third step a halving; the ends stay on their sides.
Crossing CloseIn(absl::FunctionRef<double(double)> f, double target, Crossing at) {
  constexpr int kMostSteps = 90;
  constexpr double kTolerance = 1e-10;
  double f_before = f(at.before) - target;
  double f_after = f(at.after) - target;
  for (int i = 0; i < kMostSteps && at.after - at.before > kTolerance * (1 + at.after); ++i) {
    double middle = at.before + (at.after - at.before) * f_before / (f_before - f_after);
    // A hair past the estimate, now on one side, now on the other, brings in both ends.
    middle += (i % 3 == 0 ? 0.25 : -0.25) * kTolerance * (1 + at.after);
    if (i % 3 == 2 || !(middle > at.before && middle < at.after)) {
      middle = at.before + (at.after - at.before) / 2;
    }
    const double value = f(middle) - target;
    (value > 0 ? at.before : at.after) = middle;
    (value > 0 ? f_before : f_after) = value;
  }
  return at;
}

}  // namespace

std::optional<double> LeastWhereAtMost(absl::FunctionRef<double(double)> f, double target,
                                       double guess, double reach) {
  if (f(0) <= target) return 0;
  Crossing at = {.before = 0, .after = guess};
  for (double step = (reach - guess) / 64; !(f(at.after) <= target); step *= 2) {
    at = {.before = at.after, .after = at.after + step};
    if (!(at.after <= reach)) return std::nullopt;
  }
  return CloseIn(f, target, at).after;
}

double LargestWhereAtLeast(absl::FunctionRef<double(double)> f, double target, double upper) {
  Crossing at = {.before = upper, .after = upper};
  for (double step = 1e-6 * (1 + upper); !(f(at.before) >= target); step *= 4) {
    if (at.before == 0) return 0;
    at = {.before = std::max(0.0, at.before - step), .after = at.before};
  }
  return at.before == upper ? upper : CloseIn(f, target, at).before;
}

}  // namespace topicwall::accountant
