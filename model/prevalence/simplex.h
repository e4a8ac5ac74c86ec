// The nearest shares there can be: a point's Euclidean projection onto {p >= 0, Σ_k p_k = 1}.
//
//   NearestShares({0.7, 0.5, -0.2})   // {0.6, 0.4, 0}
//
// p_k = max(x_k − t, 0) with the one t that makes their sum 1 (Held, Wolfe, Crowder 1974).
// PUBLIC. Pure. Cost: sorts K numbers.
#ifndef TOPICWALL_MODEL_PREVALENCE_SIMPLEX_H_
#define TOPICWALL_MODEL_PREVALENCE_SIMPLEX_H_

#include <vector>

#include "absl/types/span.h"

namespace topicwall::prevalence {

// `point`: one number or more, all finite.
std::vector<double> NearestShares(absl::Span<const double> point);

}  // namespace topicwall::prevalence

#endif  // TOPICWALL_MODEL_PREVALENCE_SIMPLEX_H_
