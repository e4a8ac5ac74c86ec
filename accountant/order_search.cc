#include "accountant/order_search.h"

#include <algorithm>
#include <cmath>

namespace topicwall::accountant {
namespace {

constexpr double kGolden = 0.3819660112501051;
constexpr double kRelativeTolerance = 1e-11;
constexpr int kMostValues = 40;

// Where the parabola through the three points has its least value, as a step from the middle; NaN
// where there is none.
double StepToVertex(const Valley& v) {
  const double to_left = v.left - v.middle;
  const double to_right = v.right - v.middle;
  const double left_rise = (v.left_value - v.middle_value) / to_left;
  const double right_rise = (v.right_value - v.middle_value) / to_right;
  const double curvature = (right_rise - left_rise) / (to_right - to_left);
  const double slope = left_rise - curvature * to_left;
  return -0.5 * slope / curvature;
}

double GoldenStep(const Valley& v) {
  const double to_left = v.left - v.middle;
  const double to_right = v.right - v.middle;
  return kGolden * (to_right > -to_left ? to_right : to_left);
}

void Take(double x, double value, Valley& v) {
  if (value < v.middle_value) {
    if (x < v.middle) {
      v.right = v.middle;
      v.right_value = v.middle_value;
    } else {
      v.left = v.middle;
      v.left_value = v.middle_value;
    }
    v.middle = x;
    v.middle_value = value;
  } else if (x < v.middle) {
    v.left = x;
    v.left_value = value;
  } else {
    v.right = x;
    v.right_value = value;
  }
}

}  // namespace

double LeastInValley(const Valley& valley, absl::FunctionRef<double(double)> f) {
  Valley v = valley;
  int small_changes = 0;
  double width_to_halve = v.right - v.left;
  int since_halved = 0;
  for (int i = 0; i < kMostValues && small_changes < 2; ++i) {
    const double least_step = 1e-7 * (v.right - v.left);
    double step = StepToVertex(v);
    const bool inside = step > v.left - v.middle && step < v.right - v.middle;
    if (!inside || since_halved >= 3) {
      step = GoldenStep(v);
      since_halved = 0;
    } else if (std::abs(step) < least_step) {
      step = v.right - v.middle > v.middle - v.left ? least_step : -least_step;
    }
    const double x = v.middle + step;
    if (!(x > v.left && x < v.right) || x == v.middle) break;
    const double value = f(x);
    const bool small =
        std::abs(value - v.middle_value) <= kRelativeTolerance * std::abs(v.middle_value);
    small_changes = small ? small_changes + 1 : 0;
    Take(x, value, v);
    if (v.right - v.left <= 0.5 * width_to_halve) {
      width_to_halve = v.right - v.left;
      since_halved = 0;
    } else {
      ++since_halved;
    }
  }
  return v.middle_value;
}

}  // namespace topicwall::accountant
