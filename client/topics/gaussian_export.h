// A mixture of Gaussians in the formats of other programs.
//
//   npz  arrays for numpy.load, row k = component k + 1 of every other output: weights K, means K×d
//        and variances K×d (float64, in the units of the vectors as they were given, and their
//        square), weight_margins K (95 %, by the noise alone; where shares are known) and
//        norm_bound 1.
//   csv  one row for each component (from 1) and dimension (from 1): component, weight, dimension,
//        mean, variance.
//
// Log densities are told in units of the norm bound B (fitted_gaussians.h); by these numbers they
// are smaller by d·log B, of vectors that are not longer than B.
//
// `model` is one of algorithm `gaussian`, parsed (model_file.h). Errors: INVALID_ARGUMENT for
// another format than those of ExportModel; FAILED_PRECONDITION for one that is of words. PUBLIC.
// Pure.
#ifndef TOPICWALL_CLIENT_TOPICS_GAUSSIAN_EXPORT_H_
#define TOPICWALL_CLIENT_TOPICS_GAUSSIAN_EXPORT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/model.pb.h"

namespace topicwall::client {

absl::StatusOr<std::string> ExportGaussians(const v1::ModelFile& model, absl::string_view format);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_TOPICS_GAUSSIAN_EXPORT_H_
