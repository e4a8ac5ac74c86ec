#include "client/evaluate/gaussian_evaluation.h"

#include "client/fit/model_file.h"
#include "model/gaussian/fitted_gaussians.h"

namespace topicwall::client {

absl::StatusOr<VectorMatrix> ReadVectorsFor(const v1::ModelFile& model, const std::string& path) {
  return ReadVectors(path, VectorFormatOf(path),
                     {.dimension = static_cast<int>(model.vocabulary_size()),
                      .norm_bound = model.gaussian().norm_bound()});
}

absl::StatusOr<GaussianEvaluation> EvaluateGaussians(const v1::ModelFile& model,
                                                     const VectorMatrix& vectors) {
  if (vectors.rows() == 0) {
    return absl::FailedPreconditionError("there is no vector to score. Give some.");
  }
  const gaussian::Components components = ComponentsOf(model);
  const gaussian::FittedGaussians fitted(components), whole(gaussian::WholeOf(components));
  GaussianEvaluation result = {
      .vectors = static_cast<int64_t>(vectors.rows()), .log_likelihood = 0, .one_gaussian = 0};
  const auto rows = static_cast<double>(vectors.rows());
  for (size_t i = 0; i < vectors.rows(); ++i) {
    result.log_likelihood += fitted.LogDensity(vectors.row(i)) / rows;
    result.one_gaussian += whole.LogDensity(vectors.row(i)) / rows;
  }
  return result;
}

}  // namespace topicwall::client
