// Where a falling function on x ≥ 0 crosses a target, from a side that is certain.
//
// Made for ln δ(ε): smooth where it is of interest, perhaps wrong by far elsewhere (a bound that
// says nothing is infinite or 1), and dear enough to ask for some ten times only. Whatever is
// returned was itself asked: f there is on the promised side, within 1e-10 (1 + x) of one that is
// not (bracketed_search.h). PUBLIC, stateless.
#ifndef TOPICWALL_ACCOUNTANT_PLD_FALLING_FUNCTION_H_
#define TOPICWALL_ACCOUNTANT_PLD_FALLING_FUNCTION_H_

#include <optional>

#include "absl/functional/function_ref.h"

namespace topicwall::accountant {

// The least x found with f(x) ≤ target: 0, or from `guess` up, as far as `reach`; nullopt if none.
std::optional<double> LeastWhereAtMost(absl::FunctionRef<double(double)> f, double target,
                                       double guess, double reach);

// The largest x found with f(x) ≥ target, from `upper` down; 0 if none.
double LargestWhereAtLeast(absl::FunctionRef<double(double)> f, double target, double upper);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_PLD_FALLING_FUNCTION_H_
