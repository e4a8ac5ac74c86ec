// Components to begin EM with, around the mean of all vectors.
//
//   const Components first = FirstComponents(whole, {.num_components = K, .seed = 1});
//
// `whole` is the one component of a release with K = 1 (component_estimate.h): mean and variances
// of all vectors. Of K components those of an earlier model come first, with the weights that they
// have there in proportion; the others have an equal share 1/K, and means drawn from a normal
// distribution of mean and deviations of the whole. All their variances, and those of earlier ones
// that are infinite, since nobody knows them, are the mean of the whole's: the first vectors go
// where they are nearest, so that dimensions in which components are far apart count more than many
// in which nothing is.
//
// `earlier` has at most K components, of the whole's dimension, or none. PUBLIC: released numbers
// and the analyst's seed, which is no secret. Pure; the same bits for a seed wherever the C
// library's logarithm, root and cosine are the same.
#ifndef TOPICWALL_MODEL_GAUSSIAN_FIRST_COMPONENTS_H_
#define TOPICWALL_MODEL_GAUSSIAN_FIRST_COMPONENTS_H_

#include <cstdint>

#include "model/gaussian/component_estimate.h"

namespace topicwall::gaussian {

struct FirstOptions {
  int num_components;  // K >= 1
  uint64_t seed;
  Components earlier = {};
};

Components FirstComponents(const Components& whole, const FirstOptions& options);

}  // namespace topicwall::gaussian

#endif  // TOPICWALL_MODEL_GAUSSIAN_FIRST_COMPONENTS_H_
