// How well a mixture of Gaussians predicts vectors that the analyst owns.
//
//   TW_ASSIGN_OR_RETURN(const VectorMatrix mine, ReadVectorsFor(model, "mine.npy"));
//   TW_ASSIGN_OR_RETURN(const GaussianEvaluation found, EvaluateGaussians(model, mine));
//
// Natural logarithms of densities, the mean over vectors, in units of the model's norm bound;
// higher is better, and only differences on the same vectors mean anything. Beside the mixture
// stands one Gaussian with its mean and variances, without which neither says anything.
//
// `model` is one of algorithm `gaussian`, parsed (model_file.h). A file that ends in .npy is read
// as such, any other as JSON lines. Errors: those of vector_reader.h; FAILED_PRECONDITION if there
// is no vector. Threads: one. Cost: K·d of each vector.
#ifndef TOPICWALL_CLIENT_EVALUATE_GAUSSIAN_EVALUATION_H_
#define TOPICWALL_CLIENT_EVALUATE_GAUSSIAN_EVALUATION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "client/evaluate/vector_reader.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// Scaled as those of the model's corpus.
absl::StatusOr<VectorMatrix> ReadVectorsFor(const v1::ModelFile& model, const std::string& path);

struct GaussianEvaluation {
  int64_t vectors;
  double log_likelihood;  // of the mixture, a vector
  double one_gaussian;    // of one with its mean and variances
};

absl::StatusOr<GaussianEvaluation> EvaluateGaussians(const v1::ModelFile& model,
                                                     const VectorMatrix& vectors);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_GAUSSIAN_EVALUATION_H_
