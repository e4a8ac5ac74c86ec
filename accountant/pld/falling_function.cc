// Why not a library's root finder: what is returned must be a point at which f was asked and seen
// on the promised side. A root "to within a tolerance" may lie on the other one, and then an ε
// would be given out for which δ(ε) ≤ δ was never checked. So both ends of the bracket move only to
// points asked, and the answer is one of the ends, never the middle.
#include "accountant/pld/falling_function.h"

#include <algorithm>

#include "accountant/accountants/bracketed_search.h"

namespace topicwall::accountant {
namespace {

constexpr double kTolerance = 1e-10;

}  // namespace

std::optional<double> LeastWhereAtMost(absl::FunctionRef<double(double)> f, double target,
                                       double guess, double reach) {
  // The guess comes from Chernoff's bound and so from above: nearly always the first question
  // brackets.
  const auto over = [&](double x) { return f(x) - target; };
  BracketedSearch::Trial before = {.at = 0, .excess = over(0)};
  if (before.excess <= 0) return 0;
  BracketedSearch::Trial after = {.at = guess, .excess = over(guess)};
  for (double step = (reach - guess) / 64; !(after.excess <= 0); step *= 2) {
    before = after;
    after.at += step;
    if (!(after.at <= reach)) return std::nullopt;
    after.excess = over(after.at);
  }
  const double tolerance = kTolerance * (1 + before.at);
  return CloseIn({.refused = before, .fits = after, .tolerance = tolerance}, over);
}

double LargestWhereAtLeast(absl::FunctionRef<double(double)> f, double target, double upper) {
  // In growing steps: the crossing of the lower bound is nearly always close below `upper`.
  const auto under = [&](double x) { return target - f(x); };
  BracketedSearch::Trial before = {.at = upper, .excess = under(upper)};
  BracketedSearch::Trial after = before;
  for (double step = 1e-6 * (1 + upper); !(before.excess <= 0); step *= 4) {
    if (before.at == 0) return 0;
    after = before;
    before.at = std::max(0.0, before.at - step);
    before.excess = under(before.at);
  }
  const double tolerance = kTolerance * (1 + before.at);
  return CloseIn({.refused = after, .fits = before, .tolerance = tolerance}, under);
}

}  // namespace topicwall::accountant
