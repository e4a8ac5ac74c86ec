// The range of symmetric Dirichlet priors, α of topics in documents and η of terms in topics.
//
// Wide enough for any use, narrow enough that digamma of the prior stays far from overflow in
// double.
#ifndef TOPICWALL_LDA_DIRICHLET_PRIOR_H_
#define TOPICWALL_LDA_DIRICHLET_PRIOR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace topicwall::lda {

inline constexpr double kMinPrior = 1e-6;
inline constexpr double kMaxPrior = 1e6;

// INVALID_ARGUMENT naming `name` and `value` unless kMinPrior <= value <= kMaxPrior.
absl::Status CheckPrior(absl::string_view name, double value);

}  // namespace topicwall::lda

#endif  // TOPICWALL_LDA_DIRICHLET_PRIOR_H_
