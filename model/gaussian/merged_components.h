// Fewer components that say nearly the same: EM that begins with too many finds what few random
// starts miss, and two of a kind become one.
//
//   const Components components = MergedTo(many, K);
//
// As long as there are more than K, the two become one (with the weight, mean and variances of
// both together) of which the bound on the divergence from the mixture before grows least:
//
//   ½ ((π_i + π_j) Σ log v_ij − π_i Σ log v_i − π_j Σ log v_j),   sums over the dimensions
//
// Order: what was merged stands where its first part stood. Source: Runnalls, "Kullback-Leibler
// approach to Gaussian mixture reduction" (2007), with diagonal covariances.
// `many` has at least one component, all weights and variances > 0; K >= 1. PUBLIC: of released
// components. Pure. Cost: K_many² · d logarithms at first, K_many · d and K_many² comparisons for
// each merge.
#ifndef TOPICWALL_MODEL_GAUSSIAN_MERGED_COMPONENTS_H_
#define TOPICWALL_MODEL_GAUSSIAN_MERGED_COMPONENTS_H_

#include <cstddef>

#include "model/gaussian/component_estimate.h"

namespace topicwall::gaussian {

// As they are if there are no more than K.
Components MergedTo(Components many, size_t num_components);

}  // namespace topicwall::gaussian

#endif  // TOPICWALL_MODEL_GAUSSIAN_MERGED_COMPONENTS_H_
