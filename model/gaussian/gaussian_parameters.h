// What an analyst sends of a mixture of Gaussians, as every model that is asked with it reads it.
//
//   TW_ASSIGN_OR_RETURN(const GaussianShape shape, ParseGaussianShape(options, d));
//   TW_RETURN_IF_ERROR(CheckGaussianParameters(shape, parameters));
//   const double precision = PrecisionIn(parameters[row * shape.columns() + 1 + d + j]);
//
// Parameters: K rows of 2d + 1, of each component log π, its d means m and its d precisions
// p = 1/variance. Any finite ones are computed with: |log π| beyond 10^6, |m| beyond 2 and p
// outside [2^-20, 1/kLeastVariance] count as the nearest of these. So no mixture has a smaller
// variance, where it is made (component_estimate.h) and where it is read: it would have another
// density on either side of the wall. PUBLIC. Pure.
#ifndef TOPICWALL_MODEL_GAUSSIAN_GAUSSIAN_PARAMETERS_H_
#define TOPICWALL_MODEL_GAUSSIAN_GAUSSIAN_PARAMETERS_H_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/sparse_statistic.h"

namespace topicwall::gaussian {

struct GaussianShape {
  int num_components;  // K
  int dimension;       // d

  int columns() const { return 2 * dimension + 1; }
  int64_t size() const { return int64_t{num_components} * columns(); }
  model::StatisticShape Grid() const { return model::GridOf(num_components, columns()); }
};

// INVALID_ARGUMENT for bytes that are no GaussianOptions, for a corpus without vectors, for K below
// 1 and for K·(2d + 1) above 2^32.
absl::StatusOr<GaussianShape> ParseGaussianShape(absl::string_view options, int dimension);

// INVALID_ARGUMENT for another number of them, or one that is not finite.
absl::Status CheckGaussianParameters(const GaussianShape& shape,
                                     absl::Span<const float> parameters);

// In units of the squared norm bound: a deviation of a thousandth of it.
inline constexpr double kLeastVariance = 0x1p-20;

inline float LogWeightIn(float sent) { return std::clamp(sent, -1e6F, 1e6F); }
inline float MeanIn(float sent) { return std::clamp(sent, -2.0F, 2.0F); }
inline float PrecisionIn(float sent) {
  return std::clamp(sent, 0x1p-20F, static_cast<float>(1 / kLeastVariance));
}

}  // namespace topicwall::gaussian

#endif  // TOPICWALL_MODEL_GAUSSIAN_GAUSSIAN_PARAMETERS_H_
