// How well a mixture of Gaussians predicts vectors, as the server computes it, so that somebody who
// may see no vector can tell a good mixture from a bad one.
//
// Options and parameters: those of model/gaussian/gaussian_model.h (gaussian_parameters.h), but
// that the weights π need not add up to 1. Shape: D = P = 2, one row:
//
//   A = −Σ log Σ_k π_k N(x; m_k, 1/p_k), in nats, of either sign;   n, the vectors
//
// over the unit's vectors, so that −ΣA/Σn is their mean log density. A constant c added to every
// log π is taken from every A/n: whoever knows about how large a log density is takes it off, and
// the clip then sees only what vectors differ by. A vector that is not of d finite numbers within
// the norm bound adds nothing.
//
// Numbers: double precision. Bits: no libm. Cost: 3·K·d operations and K exponentials a vector.
#ifndef TOPICWALL_MODEL_GAUSSIAN_LIKELIHOOD_MODEL_H_
#define TOPICWALL_MODEL_GAUSSIAN_LIKELIHOOD_MODEL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/data/corpus_shape.h"
#include "model/statistic_model.h"

namespace topicwall::gaussian {

// INVALID_ARGUMENT as MakeGaussianModel.
absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeLikelihoodModel(
    absl::string_view options, const model::CorpusShape& corpus);

}  // namespace topicwall::gaussian

#endif  // TOPICWALL_MODEL_GAUSSIAN_LIKELIHOOD_MODEL_H_
