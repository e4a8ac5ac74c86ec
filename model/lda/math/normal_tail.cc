#include "model/lda/math/normal_tail.h"

#include <cmath>
#include <numbers>

namespace topicwall::lda {

double TwoSidedTail(double z) { return std::erfc(std::abs(z) / std::numbers::sqrt2); }

double TwoSidedPoint(double tail) {
  double below = 0;
  double above = 40;  // leaves 1e-349, which is 0
  // Until no double is left in between: it is asked so rarely that nobody waits for it.
  for (int i = 0; i < 100; ++i) {
    const double middle = (below + above) / 2;
    (TwoSidedTail(middle) > tail ? below : above) = middle;
  }
  return (below + above) / 2;
}

double SidakTail(double tail, double count) { return -std::expm1(std::log1p(-tail) / count); }

double UsualPoint() {
  static const double point = TwoSidedPoint(kMissed);
  return point;
}

bool CanDivideBy(double total, double deviation) { return total > 0 && total > 3 * deviation; }

}  // namespace topicwall::lda
