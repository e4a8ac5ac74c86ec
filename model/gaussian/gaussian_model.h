// A mixture of Gaussians with diagonal covariances as the server computes it, for documents that
// are vectors x of d numbers with ‖x‖ <= 1: a unit's statistic says of which components its vectors
// are, and what these add to their counts, sums and sums of squares.
//
// Options: proto/models/gaussian.proto. Parameters: K rows of 2d + 1, of each component log π, its
// d means m and its d precisions p = 1/variance. With
//
//   log r_k = log π_k + Σ_j (½ log p_kj − ½ p_kj (x_j − m_kj)²) + constant,   Σ_k r_k = 1,
//
// the statistic is Σ over the unit's vectors of r_k·(1, x, x²). Shape: D = K·(2d + 1); columns are
// the vector itself, its d numbers and their d squares (P = 2d + 1), rows are components. Entries
// of the middle columns have either sign. One vector's norm is at most √3; a norm means something
// only with weights by column, since counts, sums and squares are of different units.
//
// Any finite parameters are computed with, within the ranges of gaussian_parameters.h. log r is
// linear in (1, x, x²), so that its arithmetic is that of model/mixture/responsibilities.h: the
// same kernels, bits and share below which a component is left out. Float32: r is within 1e-3 of
// float64's while p·‖x‖² and p·‖m‖² stay below 10^4, however near x is to m: of deviations below a
// hundredth of the norm bound it may be further. A vector that is not of d finite numbers within
// the norm bound adds nothing.
//
// Source: EM for mixtures (Dempster, Laird, Rubin 1977).
#ifndef TOPICWALL_MODEL_GAUSSIAN_GAUSSIAN_MODEL_H_
#define TOPICWALL_MODEL_GAUSSIAN_GAUSSIAN_MODEL_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/corpus_shape.h"
#include "model/statistic_model.h"
#include "model/worst_case.h"

namespace topicwall::gaussian {

// INVALID_ARGUMENT as ParseGaussianShape (gaussian_parameters.h).
absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeGaussianModel(
    absl::string_view options, const model::CorpusShape& corpus);

// Vectors that are as much of each of as many components as can be: one case. INVALID_ARGUMENT for
// limits that no request can have.
absl::StatusOr<std::vector<model::WorstCase>> WorstGaussians(const model::AnalystLimits& limits);

}  // namespace topicwall::gaussian

#endif  // TOPICWALL_MODEL_GAUSSIAN_GAUSSIAN_MODEL_H_
