// What a mixture of Gaussians will be known to, before anything is paid.
//
//   TW_ASSIGN_OR_RETURN(ExpectedComponents expected,
//                       ExpectComponents({.num_vectors = 25000, .dimension = 32,
//                                         .num_components = 10}, noise_of_the_averages,
//                                        noise_of_all_counts));
//   expected.sizes.front().mean_error;   // of an average component
//   expected.sizes.front().signal;       // below 12: do not buy this
//
// Noise is arithmetic (component_estimate.h): a component of n vectors has means that are off by
// τ_x/n in each dimension and a weight that is off by WeightDeviation of τ_1 over all vectors. What
// it is held against is a guess from public numbers: vectors fill the norm bound, so that a number
// of one is 1/√d from 0. So many times its error is a component's signal,
//   n/(τ_x √d),
// which falls with K. It is what K is chosen by, and says beforehand where components are noise;
// how much is enough was read off real fits (client/fit/fit_planner.h).
//
// Errors: INVALID_ARGUMENT names what is out of range. PUBLIC, pure, for display and choice only.
#ifndef TOPICWALL_MODEL_GAUSSIAN_EXPECTED_COMPONENTS_H_
#define TOPICWALL_MODEL_GAUSSIAN_EXPECTED_COMPONENTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "model/gaussian/component_estimate.h"

namespace topicwall::gaussian {

struct MixtureAssumption {
  double num_vectors;  // > 0, for instance the custodian's nominal size
  int dimension;       // d >= 1
  int num_components;  // K >= 1
};

struct ExpectedComponent {
  double vectors;       // n
  double weight_error;  // standard deviation of its weight
  double mean_error;    // standard deviation of each number of its mean, in units of the norm bound
  double signal;        // 1/√d over it
};

struct ExpectedComponents {
  double counts_signal;  // all vectors, in deviations of the noise of the sum of their counts
  // Of a component of average size, of half and of a tenth of that.
  std::vector<ExpectedComponent> sizes;
};

// `noise`: of the averages that components are made of at the end. `all_counts`: of the sum of all
// counts of the release that has most of it, where a fit ends if that is not above 0
// (component_estimate.h).
absl::StatusOr<ExpectedComponents> ExpectComponents(const MixtureAssumption& assumption,
                                                    const NoiseDeviations& noise,
                                                    double all_counts);

}  // namespace topicwall::gaussian

#endif  // TOPICWALL_MODEL_GAUSSIAN_EXPECTED_COMPONENTS_H_
