#include "accountant/accountants/bracketed_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace topicwall::accountant {
namespace {

constexpr double kSmallest = std::numeric_limits<double>::min();
// The paper's κ1·(b − a) and n0; its κ2 = 2 is the square of the width in Next.
constexpr double kPull = 0.2;
constexpr double kSlackSteps = 2;

}  // namespace

BracketedSearch::BracketedSearch(const Params& params)
    : refused_(params.refused),
      fits_(params.fits),
      tolerance_(params.tolerance),
      first_width_(std::abs(params.fits.at - params.refused.at)) {
  // As many trials as bisection would take, and two more: within that reach it may try what it
  // likes.
  const double halvings = std::ceil(std::log2(first_width_ / tolerance_));
  reach_ = 0.5 * tolerance_ * std::exp2(std::fmax(halvings, 0) + kSlackSteps);
}

bool BracketedSearch::done() const {
  const double middle = refused_.at + (fits_.at - refused_.at) / 2;
  return !(std::abs(fits_.at - refused_.at) > tolerance_) || middle == refused_.at ||
         middle == fits_.at;
}

double BracketedSearch::Next() const {
  const double width = fits_.at - refused_.at;
  const double middle = refused_.at + width / 2;
  const double share = refused_.excess / (refused_.excess - fits_.excess);
  if (!(share > 0 && share < 1)) return middle;  // an infinite end tells nothing, nor does NaN
  const double interpolated = refused_.at + share * width;
  const double to_middle = middle - interpolated;
  // Towards the middle, or an end that never moves would make interpolation crawl.
  const double pull = kPull * width * width / first_width_;
  if (std::abs(to_middle) <= pull) return middle;
  const double pulled = interpolated + std::copysign(pull, to_middle);
  // No further from the middle than what the trials that are left can still close.
  const double radius = std::fmax(reach_ - std::abs(width) / 2, 0);
  const double at =
      std::abs(pulled - middle) <= radius ? pulled : middle - std::copysign(radius, to_middle);
  const bool inside = (at - refused_.at) * width > 0 && (fits_.at - at) * width > 0;
  return inside ? at : middle;
}

void BracketedSearch::Record(const Trial& trial) {
  // NaN is refused.
  (trial.excess <= 0 ? fits_ : refused_) = trial;
  reach_ /= 2;
}

double LogExcess(double value, double target) {
  const double excess = std::log(value / target);
  return value <= target ? std::fmin(excess, 0) : std::max(excess, kSmallest);
}

double CloseIn(const BracketedSearch::Params& params, absl::FunctionRef<double(double at)> excess) {
  BracketedSearch search(params);
  while (!search.done()) {
    const double at = search.Next();
    search.Record({.at = at, .excess = excess(at)});
  }
  return search.fits().at;
}

}  // namespace topicwall::accountant
