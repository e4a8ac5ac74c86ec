// A mixture of Gaussians of vectors that are at hand: the trainer of a private fit without
// sampling, clip and noise, so that it is a yardstick for one, and what public vectors begin one
// with.
//
//   absl::StatusOr<Components> found =
//       FitLocally({.values = x, .dimension = d}, {.num_components = K, .passes = 40, .seed = 1});
//
// Each pass is an exact E-step over all vectors (gaussian_model.h) and what ComponentEstimate makes
// of its sums. As a fit behind a wall (client/fit/algorithms/gaussian_fit.h) it begins with the
// mean and variances of the whole, by one pass more, and with half of the passes for
// `begins_with` > K components, which are then merged to K; not where earlier components come first
// among the K, where there is one pass, or for fewer vectors than that.
//
// Vectors that are not within the norm bound add nothing. Errors: INVALID_ARGUMENT for fewer
// vectors than components, more earlier ones than K, and what ParseGaussianShape refuses. Threads:
// num_threads, which change no bits. The components are as private as the vectors. Cost: K·d of
// each vector and pass; memory 16 times that of the components, in double.
#ifndef TOPICWALL_MODEL_GAUSSIAN_LOCAL_FIT_H_
#define TOPICWALL_MODEL_GAUSSIAN_LOCAL_FIT_H_

#include <cstddef>
#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/gaussian/component_estimate.h"

namespace topicwall::gaussian {

struct LocalVectors {
  absl::Span<const float> values;  // n×d, row by row, in units of the norm bound
  size_t dimension;                // d >= 1
};

struct LocalFitOptions {
  int num_components;  // K >= 1
  int passes;          // >= 1
  uint64_t seed;
  int num_threads = 1;
  int begins_with = 0;
  Components earlier = {};  // at most K
  // Told after each pass of `passes`; what it throws ends the fit.
  std::function<void(int passes_done)> on_progress = {};
};

absl::StatusOr<Components> FitLocally(const LocalVectors& vectors, const LocalFitOptions& options);

}  // namespace topicwall::gaussian

#endif  // TOPICWALL_MODEL_GAUSSIAN_LOCAL_FIT_H_
