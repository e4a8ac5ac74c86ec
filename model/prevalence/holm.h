// Holm's adjustment: many tests, and at most one chance in twenty that any of them is wrong.
//
//   HolmAdjusted(p_values)[i] <= 0.05     // this one stands, whatever the others are
//
// The j-th smallest of m p-values is multiplied by m − j + 1, and is no smaller than the adjusted
// one before it (Holm 1979). Holds for any dependence between the tests.
// PUBLIC. Pure. Cost: sorts.
#ifndef TOPICWALL_MODEL_PREVALENCE_HOLM_H_
#define TOPICWALL_MODEL_PREVALENCE_HOLM_H_

#include <vector>

#include "absl/types/span.h"

namespace topicwall::prevalence {

// In the order of `p_values`, each in [0, 1].
std::vector<double> HolmAdjusted(absl::Span<const double> p_values);

}  // namespace topicwall::prevalence

#endif  // TOPICWALL_MODEL_PREVALENCE_HOLM_H_
