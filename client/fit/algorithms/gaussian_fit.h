// Algorithm `gaussian`: a mixture of Gaussians on a corpus of vectors, each of which is of one
// component (model/gaussian/gaussian_model.h). Its stages, J releases and one:
//
//   whole       one release with K = 1, the mean and variances of all vectors, around which the
//               first components are drawn (model/gaussian/first_components.h)
//   many        half of J, of kManyPerComponent times as many components as are asked for, or as
//               the wall allows; in the end they are merged to K (merged_components.h), which
//               finds what EM from K random ones misses. Not with an initial model, whose
//               components come first among the K then, nor where J is 1
//   components  the rest of J, of K
//
// Within a stage weights, means and variances are of all its releases so far, the latest counting
// most (component_estimate.h). All releases have one price, of σ_eff each; what they ask, and their
// noise, is in gaussian_plan.h.
//
// PUBLIC: post-processing of releases. FAILED_PRECONDITION for counts that are noise.
#ifndef TOPICWALL_CLIENT_FIT_ALGORITHMS_GAUSSIAN_FIT_H_
#define TOPICWALL_CLIENT_FIT_ALGORITHMS_GAUSSIAN_FIT_H_

#include "client/fit/fit_algorithm.h"

namespace topicwall::client {

FitMethod GaussianMethod();

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ALGORITHMS_GAUSSIAN_FIT_H_
