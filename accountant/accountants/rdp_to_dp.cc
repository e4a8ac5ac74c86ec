#include "accountant/accountants/rdp_to_dp.h"

#include <cmath>
#include <limits>

namespace topicwall::accountant {
namespace {

// a + b rounded up by more than the error of a handful of operations on parts of this size.
double AddUpward(double a, double b) {
  return a + b + 8 * std::numeric_limits<double>::epsilon() * (std::abs(a) + std::abs(b));
}

}  // namespace

double EpsilonUpperBound(const RenyiPrice& price, double delta) {
  const double conversion =
      AddUpward(std::log1p(-1 / price.order), -std::log(delta * price.order) / (price.order - 1));
  return AddUpward(price.rdp, conversion);
}

double ClassicEpsilonUpperBound(const RenyiPrice& price, double delta) {
  return AddUpward(price.rdp, -std::log(delta) / (price.order - 1));
}

double LogDeltaUpperBound(const RenyiPrice& price, double epsilon) {
  const double loss = AddUpward(price.rdp, std::log1p(-1 / price.order));
  return AddUpward((price.order - 1) * AddUpward(loss, -epsilon), -std::log(price.order));
}

double ClassicLogDeltaUpperBound(const RenyiPrice& price, double epsilon) {
  return (price.order - 1) * AddUpward(price.rdp, -epsilon);
}

double TotalVariationUpperBound(double rdp) {
  return std::sqrt(-std::expm1(-rdp)) * (1 + 4 * std::numeric_limits<double>::epsilon());
}

}  // namespace topicwall::accountant
