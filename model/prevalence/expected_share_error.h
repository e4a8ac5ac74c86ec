// How well shares will be known, before anything is paid.
//
//   TW_ASSIGN_OR_RETURN(double error, ExpectedShareError({.num_topics = 50,
//                                                         .documents = 100000. / 12,
//                                                         .share = 1. / 50,
//                                                         .noise = noise_of_plan}));
//   1.96 * error     // ± of an average topic in an average month
//
// It is the standard error of a share that noisy_share.h will find where documents and share are as
// assumed: √q(p)/n. Infinite where the count is not expected above 1.96 deviations of its noise:
// the group will be `none` (prevalence_estimate.h).
//
// Errors: INVALID_ARGUMENT for a field out of range. PUBLIC: depends on the plan and on what is
// assumed. Pure. Cost: O(1).
#ifndef TOPICWALL_MODEL_PREVALENCE_EXPECTED_SHARE_ERROR_H_
#define TOPICWALL_MODEL_PREVALENCE_EXPECTED_SHARE_ERROR_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "model/prevalence/prevalence_sums.h"

namespace topicwall::prevalence {

struct ExpectedShare {
  int num_topics;            // K >= 1
  double documents;          // n > 0: of the group
  double share;              // p in [0, 1]: 1/K is that of an average topic
  PrevalenceNoise noise;     // of one release
  int64_t num_releases = 1;  // J >= 1
  int64_t num_cells = 1;     // >= 1: merged into the group
};

absl::StatusOr<double> ExpectedShareError(const ExpectedShare& expected);

}  // namespace topicwall::prevalence

#endif  // TOPICWALL_MODEL_PREVALENCE_EXPECTED_SHARE_ERROR_H_
