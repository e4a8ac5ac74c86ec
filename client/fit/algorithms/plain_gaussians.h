// A mixture of Gaussians of vectors that the analyst owns: no wall, no noise, no privacy; or, of
// public ones, what a fit behind a wall begins with.
//
// The trainer is that of a private fit, kGaussian, without clip and noise
// (model/gaussian/local_fit.h), so that it is a yardstick for one. The model is in the units of
// `space`: only models of one norm bound can be compared, or begin one another.
//
// An initial model is made of more vectors than K by such a fit of K components. K of them or fewer
// are means themselves, of one weight each: what a component's variances are then, nobody knows,
// and the fit takes them as wide as the whole, once it knows that
// (model/gaussian/first_components.h).
//
// Errors: those of FitLocally. Threads: num_threads, which change no bits. As private as the
// vectors.
#ifndef TOPICWALL_CLIENT_FIT_ALGORITHMS_PLAIN_GAUSSIANS_H_
#define TOPICWALL_CLIENT_FIT_ALGORITHMS_PLAIN_GAUSSIANS_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/threads/for_each_block.h"
#include "model/data/bounded_vector.h"
#include "proto/model.pb.h"

namespace topicwall::client {

inline constexpr int kPlainGaussianPasses = 40;

struct PlainVectors {
  absl::Span<const float> values;  // n×d, row by row, in units of the norm bound
  model::VectorSpace space;        // d and the bound
};

struct PlainGaussiansSettings {
  int num_components;  // K
  int passes = kPlainGaussianPasses;
  uint64_t seed = 1;
  int num_threads = lda::NumProcessors();
  // Whose components come first among the K, of the same space; none: nullptr.
  const v1::ModelFile* initial = nullptr;
  std::function<void(int passes_done)> on_progress = {};
};

absl::StatusOr<v1::ModelFile> FitPlainGaussians(const PlainVectors& vectors,
                                                const PlainGaussiansSettings& settings);

// Of K = settings.num_components at most.
absl::StatusOr<v1::ModelFile> InitialGaussians(const PlainVectors& vectors,
                                               const PlainGaussiansSettings& settings);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_ALGORITHMS_PLAIN_GAUSSIANS_H_
