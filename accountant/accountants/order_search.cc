#include "accountant/accountants/order_search.h"

#include <algorithm>
#include <cmath>

#include "accountant/accountants/bracketed_search.h"
#include "accountant/events/privacy_params.h"

namespace topicwall::accountant {
namespace {

// (3 − √5)/2 of the longer side.
constexpr double kGolden = 0.3819660112501051;
constexpr int kMostParabolas = 7;
constexpr double kSlopeReach = 1e-7;  // of the valley: over which a slope is taken

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

// Parabolas until two values in a row change nothing, or the valley proves to be none of theirs.
bool FindByParabolas(absl::FunctionRef<double(double)> f, double tolerance, Valley& v) {
  int small_changes = 0;
  int since_halved = 0;
  double width_to_halve = v.right - v.left;
  for (int i = 0; i < kMostParabolas; ++i) {
    const double least_step = 1e-7 * (v.right - v.left);
    double step = StepToVertex(v);
    const bool inside = step > v.left - v.middle && step < v.right - v.middle;
    if (!inside || since_halved >= 3) {
      step = GoldenStep(v);
      since_halved = 0;
    } else if (std::abs(step) < least_step) {
      // At the vertex already. A look beside it, into the wider side, brings that side's wall up
      // close.
      step = v.right - v.middle > v.middle - v.left ? least_step : -least_step;
    }
    const double x = v.middle + step;
    // The bracket is as narrow as doubles are there: nothing is left to find.
    if (!(x > v.left && x < v.right) || x == v.middle) return true;
    const double value = f(x);
    const bool small =
        std::abs(value - v.middle_value) <= 0.1 * tolerance * std::abs(v.middle_value);
    small_changes = small ? small_changes + 1 : 0;
    if (small_changes == 2) return true;
    Take(x, value, v);
    const bool halved = v.right - v.left <= 0.5 * width_to_halve;
    if (halved) width_to_halve = v.right - v.left;
    since_halved = halved ? 0 : since_halved + 1;
  }
  return false;
}

// Where the slope changes its sign. One wall may rise a thousand times as fast as the other falls,
// which parabolas cannot follow; near the bottom the slope is smooth all the same.
double FindBySlope(absl::FunctionRef<double(double)> f, double tolerance, const Valley& v) {
  const double reach = kSlopeReach * (v.right - v.left);
  const double fall = std::abs((v.middle_value - v.left_value) / (v.middle - v.left));
  const double scale = fall > 0 && std::isfinite(fall) ? fall : 1;
  double least = v.middle_value;
  // Beyond ±1 a slope tells its side and no more: there bisection is best.
  const auto steepness = [&](double slope) { return std::clamp(slope / scale, -1.0, 1.0); };
  // Down to a few times `reach`: in a narrower bracket slopes over `reach` say nothing.
  BracketedSearch search({.refused = {.at = v.right, .excess = steepness(kInfinity)},
                          .fits = {.at = v.left, .excess = steepness(-scale)},
                          .tolerance = 4 * reach});
  double at = v.middle;
  while (!search.done()) {
    const double value = f(at);
    // A wall without a finite value lies on its own side of the middle.
    const double slope = std::isfinite(value) ? (f(at + reach) - value) / reach
                         : at < v.middle      ? -kInfinity
                                              : kInfinity;
    least = std::min(least, value);
    const double width = std::abs(search.fits().at - search.refused().at);
    if (std::abs(slope) * width <= tolerance * std::abs(least)) break;
    search.Record({.at = at, .excess = steepness(slope)});
    at = search.Next();
  }
  return least;
}

}  // namespace

double LeastInValley(const Valley& valley, double relative_tolerance,
                     absl::FunctionRef<double(double)> f) {
  const double tolerance = std::max(relative_tolerance, 1e-12);
  Valley v = valley;
  return FindByParabolas(f, tolerance, v) ? v.middle_value : FindBySlope(f, tolerance, v);
}

}  // namespace topicwall::accountant
