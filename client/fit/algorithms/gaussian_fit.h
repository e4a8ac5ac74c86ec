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
// most (component_estimate.h). All releases have one price, of σ_eff each. A vector's statistic
// (1, x, x²) is weighted by kCountWeight, 1 and kSquareWeight·√d, so that counts, which are far
// above their noise, take little of it, and squares, which are of the size of 1/d, are not lost in
// it. C is the norm that a vector at the norm bound has then whose numbers are as those of a normal
// variable: √(¼ + 1 + ¾). Vectors that have more in few dimensions are clipped.
//
// PUBLIC: post-processing of releases. FAILED_PRECONDITION for counts that are noise.
#ifndef TOPICWALL_CLIENT_FIT_ALGORITHMS_GAUSSIAN_FIT_H_
#define TOPICWALL_CLIENT_FIT_ALGORITHMS_GAUSSIAN_FIT_H_

#include "client/fit/fit_algorithm.h"

namespace topicwall::client {

inline constexpr float kCountWeight = 0.5F;
inline constexpr float kSquareWeight = 0.5F;
inline constexpr int kManyPerComponent = 3;

FitMethod GaussianMethod();

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ALGORITHMS_GAUSSIAN_FIT_H_
