// Whether topics rise or fall from one group to another, with one error rate for all answers.
//
//   TW_ASSIGN_OR_RETURN(std::vector<PrevalenceDifference> changes,
//                       PrevalenceDifferences(months, {{.from = 0, .to = 1}}));
//   changes[i].direction();       // kRises, kFalls, or kUnclear
//
// The difference of topic k is p_k of `to` less p_k of `from`, of shares as they were found
// (`unprojected` of prevalence_estimate.h). Groups share no document and no noise; that a
// unit may be drawn with documents in both is within m (prevalence_sums.h). The standard error is
// that of the difference as it was found. The test asks whether noise and sampling could have made
// it of one and the same share p, which is estimated from both groups together, within [0, 1]:
//   z = (p_to − p_from) / √(q_to(p)/n_to² + q_from(p)/n_from²)         q: noisy_share.h
// Under one share this is close to normal even where shares are near 0 and errors of their own say
// nothing. All p-values of one call are one family: a call in which nothing changes names a
// direction anywhere with probability at most 5 % (HolmAdjusted).
// A pair with a group that is `none` cannot be told: difference 0, p-value 1, error NaN.
//
// Errors: INVALID_ARGUMENT for a group that there is not, or one against itself. PUBLIC:
// post-processing. Pure. Cost: O(pairs·K).
#ifndef TOPICWALL_MODEL_PREVALENCE_PREVALENCE_DIFFERENCE_H_
#define TOPICWALL_MODEL_PREVALENCE_PREVALENCE_DIFFERENCE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/prevalence/prevalence_sums.h"

namespace topicwall::prevalence {

struct GroupPair {
  int64_t from;
  int64_t to;
};

enum class Direction { kUnclear, kRises, kFalls };

struct PrevalenceDifference {
  GroupPair pair;
  int topic;
  double difference;        // of shares, in [−1, 1] but for noise
  double standard_error;    // of the difference
  double z;                 // of the test
  double p_value;           // two-sided, of this one alone
  double adjusted_p_value;  // in the family of all

  Direction direction() const;  // told if adjusted_p_value <= 5 %
};

// All topics of all pairs: K for the first pair, K for the next …
absl::StatusOr<std::vector<PrevalenceDifference>> PrevalenceDifferences(
    const PrevalenceSums& sums, absl::Span<const GroupPair> pairs);

// Holm's adjustment: many tests, and at most one chance in twenty that any of them is wrong where
// those stand whose adjusted p is at most 0.05. The j-th smallest of m p-values is multiplied by
// m − j + 1, and is no smaller than the adjusted one before it (Holm 1979). Holds for any
// dependence between the tests. In the order of `p_values`, each in [0, 1].
std::vector<double> HolmAdjusted(absl::Span<const double> p_values);

}  // namespace topicwall::prevalence

#endif  // TOPICWALL_MODEL_PREVALENCE_PREVALENCE_DIFFERENCE_H_
