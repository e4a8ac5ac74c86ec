// What an evaluation asks of a wall about a model: how well its topics predict documents
// (model/completion/completion_model.h), or its Gaussians vectors
// (model/gaussian/likelihood_model.h).
//
//   TW_ASSIGN_OR_RETURN(const double clip_norm,      // of model, options and weights
//                       AskAbout(model, words_per_unit, description, &plan));
//   TW_ASSIGN_OR_RETURN(const std::vector<float> sent, AskedParameters(model));
//
// The two numbers of a unit, A nats and n words or vectors, are clipped together to the norm of
// (A/a0, n/n0) <= 1.
// Documents: longer units keep their ratio and count less. With H the entropy of the model's
// marginal in nats, which is about what a word costs, a0 = H·n0 puts as much of the norm on one as
// on the other, which at a given price is the least noise in ΣA/Σn; n0 is such that a unit of the
// words that are assumed, half of them scored, has norm 1.
// Vectors: about what a vector costs is known beforehand, H = Σ π_k (H_k − log π_k) with H_k the
// entropy of a component; it is taken off (NatsTakenOff), so that A is what vectors differ by, of
// the deviation s, s² = d/2 + the variance of H_k − log π_k over components; of dimensions at
// gaussian::kLeastVariance, which vary less or not at all, both are without ½ χ². A typical unit of
// m vectors has n/n0 = 0.9, and reaches the norm 1 three s from the expected: fewer than one vector
// in a hundred counts for less where the model is right. H is exact where components are apart, and
// at most log K too large.
//
// PUBLIC. Pure. Errors: those of ModelOf; INVALID_ARGUMENT if the vectors of the model and of the
// corpus are of different norm bounds.
#ifndef TOPICWALL_CLIENT_EVALUATE_EVALUATION_QUESTION_H_
#define TOPICWALL_CLIENT_EVALUATE_EVALUATION_QUESTION_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/data/corpus_shape.h"
#include "proto/model.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

// Of the norm 1 of a unit, what its vectors take where there are as many as is typical.
inline constexpr double kShareOfVectors = 0.9;

// Returns the clip norm C that the weights are for: 1, or where 1/a0 or 1/n0 is less than a weight
// may be the power of two that they are multiplied by, which leaves every bit as it is.
// `words_per_unit`: of a unit; of vectors a unit of one document is one, and one of an owner has so
// many.
absl::StatusOr<double> AskAbout(const v1::ModelFile& model, double words_per_unit,
                                const v1::CorpusDescription& description, v1::ReleaseSpec* plan);

// Of every release.
absl::StatusOr<std::vector<float>> AskedParameters(const v1::ModelFile& model);

// Of the corpus that the model is asked about.
model::CorpusShape AskedCorpus(const v1::ModelFile& model);

// H of a mixture of Gaussians, of every vector; 0 of topics.
double NatsTakenOff(const v1::ModelFile& model);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_EVALUATION_QUESTION_H_
