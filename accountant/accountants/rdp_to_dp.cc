#include "accountant/accountants/rdp_to_dp.h"

#include <cmath>
#include <limits>

namespace topicwall::accountant {
namespace {

// a + b rounded up by more than the error of a handful of operations on parts of this size.
double AddUpward(double a, double b) {
  // Relative to the parts, not to the sum, which may be far smaller than either.
  return a + b + 8 * std::numeric_limits<double>::epsilon() * (std::abs(a) + std::abs(b));
}

}  // namespace

// log1p(−1/a) for ln((a−1)/a): for large orders the quotient is near 1, and its logarithm mostly
// rounding. The product δa may be off by an ulp where its logarithm is near 0; u/(a−1) is less than
// what AddUpward adds for the other part, 1/a in size.
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

// expm1: for a small divergence 1 − e^{−R} would be all rounding, and from below as likely as not.
double TotalVariationUpperBound(double rdp) {
  return std::sqrt(-std::expm1(-rdp)) * (1 + 4 * std::numeric_limits<double>::epsilon());
}

}  // namespace topicwall::accountant
