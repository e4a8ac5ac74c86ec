#include "model/gaussian/gaussian_parameters.h"

#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "model/data/bounded_vector.h"
#include "model/lda/topics/log_topics.h"
#include "proto/models/gaussian.pb.h"
#include "proto/models/parse_options.h"

namespace topicwall::gaussian {

absl::StatusOr<GaussianShape> ParseGaussianShape(absl::string_view options, int dimension) {
  v1::GaussianOptions message;
  TW_RETURN_IF_ERROR(proto::ParseOptions(options, &message));
  if (!(dimension >= 1 && dimension <= model::kMaxVectorDimension)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the corpus's vectors must have 1 to ", model::kMaxVectorDimension,
                     " dimensions; got ", dimension, ". Ask for a model of a corpus of vectors."));
  }
  const GaussianShape shape = {.num_components = message.num_components(), .dimension = dimension};
  // size() is in 64 bits: K of 31 bits times 2,049 does not overflow.
  if (shape.num_components >= 1 && shape.size() <= lda::kMaxTopicEntries) return shape;
  return absl::InvalidArgumentError(absl::StrCat("num_components must be at least 1, and it times ",
                                                 shape.columns(), " at most 2^32; got ",
                                                 shape.num_components, ". 10 to 50 is usual."));
}

absl::Status CheckGaussianParameters(const GaussianShape& shape,
                                     absl::Span<const float> parameters) {
  if (static_cast<int64_t>(parameters.size()) != shape.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("parameters must be ", shape.size(), " numbers, ", shape.num_components,
                     " rows of ", shape.columns(), "; got ", parameters.size(), "."));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (std::isfinite(parameters[i])) continue;
    const auto columns = static_cast<size_t>(shape.columns());
    return absl::InvalidArgumentError(absl::StrCat("parameters must be finite; number ",
                                                   i % columns, " of component ", i / columns,
                                                   " is ", parameters[i], "."));
  }
  return absl::OkStatus();
}

}  // namespace topicwall::gaussian
