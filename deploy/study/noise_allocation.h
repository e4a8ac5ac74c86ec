// How much noise each release of a recipe gets, so that all together cost its (ε, δ).
//
// Full-batch Gaussian releases of noise multipliers σ_i are together one Gaussian with
// μ² = Σ 1/σ_i² (sensitivity ÷ deviation), however they are chosen. μ is the largest that
//   enforced: the wall's adaptive filter admits (accountant/budget_filter.h, its default orders);
//   exact:    the Gaussian mechanism's own curve allows (gaussian_mechanism.h), which is what an
//             inventory of vouchers comes close to.
// Of μ², unigram_share goes to the K = 1 release, histogram_share to the norm histograms, the rest
// to the sums, in equal parts or growing.
#ifndef TOPICWALL_DEPLOY_STUDY_NOISE_ALLOCATION_H_
#define TOPICWALL_DEPLOY_STUDY_NOISE_ALLOCATION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "deploy/study/recipe.h"

namespace topicwall::study {

struct NoiseAllocation {
  double mu;
  double unigram;            // σ of the K = 1 release; 0 = none
  std::vector<double> sums;  // σ of each iteration
  double histogram;          // σ_h of each iteration
};

// The largest μ for the budget of `recipe`. FAILED_PRECONDITION if there is none.
absl::StatusOr<double> LargestMu(const Recipe& recipe);

absl::StatusOr<NoiseAllocation> AllocateNoise(const Recipe& recipe);

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_NOISE_ALLOCATION_H_
