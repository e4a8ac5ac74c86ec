// The least value of a function with one valley, from three points around it.
//
// First successive parabolic interpolation inside a bracket: each value asked for replaces an end
// or the middle, and where the parabola makes no headway a golden section does. A valley with one
// very steep wall defeats that; there the change of the slope's sign is bracketed (the slope taken
// from two values; bracketed_search.h).
// Errors cost tightness only: the result is a value that was asked for or given.
// PUBLIC, stateless. Cost: 4 to 9 values for a smooth valley, some 30 for a steep one, never more
// than 70.
#ifndef TOPICWALL_ACCOUNTANT_ACCOUNTANTS_ORDER_SEARCH_H_
#define TOPICWALL_ACCOUNTANT_ACCOUNTANTS_ORDER_SEARCH_H_

#include "absl/functional/function_ref.h"

namespace topicwall::accountant {

// Arguments left < middle < right with their values; the middle's is the least of the three.
// Values may be +infinity.
struct Valley {
  double left;
  double middle;
  double right;
  double left_value;
  double middle_value;
  double right_value;
};

// The least value of f in (left, right), to about relative_tolerance (1e-12 at least).
double LeastInValley(const Valley& valley, double relative_tolerance,
                     absl::FunctionRef<double(double)> f);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_ACCOUNTANTS_ORDER_SEARCH_H_
