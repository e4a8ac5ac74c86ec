// How well a model predicts documents or vectors that the analyst owns: both measures of documents,
// and beside them the unigram, or one Gaussian, without which none says anything.
//
//   absl::StatusOr<Evaluation> result = Evaluate(model, documents, {.seed = 1});
//   EvaluateMixture(model, component_weights, documents, {.seed = 1});
//   EvaluateGaussians(model, *ReadVectorsFor(model, "mine.npy"));
//
// The numbers and their caveats: model/lda/topics/held_out_perplexity.h, of a mixture
// model/mixture/mixture_perplexity.h. Natural base; lower is better. Whose unigram: the model's own
// marginal Σ_k λ_kv (released, so it costs nothing), the private one that its fit paid for, or,
// with `unigram_documents`, add-0.1 counts of a public text that is no part of the private corpus.
// Threads: uses all processors; the same bits for any number of them. Errors: FAILED_PRECONDITION
// if no document has a token to score; else lda's.
#ifndef TOPICWALL_CLIENT_EVALUATE_EVALUATOR_H_
#define TOPICWALL_CLIENT_EVALUATE_EVALUATOR_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/evaluate/vector_reader.h"
#include "model/data/document.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/topic_model.h"
#include "proto/model.pb.h"

namespace topicwall::client {

struct EvaluationOptions {
  uint64_t seed;  // of the split of tokens for document completion
  // The first of these that is there; else the model's own marginal.
  const lda::DocumentList* unigram_documents = nullptr;
  absl::Span<const double> term_probabilities = {};  // V
};

struct Evaluation {
  int64_t documents;                                     // with at least one token
  int64_t empty_documents;                               // without
  std::optional<lda::ScoredPerplexity> bound;            // of topics
  std::optional<lda::ScoredPerplexity> whole_documents;  // of a mixture
  lda::ScoredPerplexity completion;
  lda::ScoredPerplexity unigram;  // on the same tokens as `completion`
};

absl::StatusOr<Evaluation> Evaluate(const lda::TopicModel& model,
                                    const lda::DocumentList& documents,
                                    const EvaluationOptions& options);
// `component_weights`: K of them, > 0.
absl::StatusOr<Evaluation> EvaluateMixture(const lda::TopicModel& model,
                                           absl::Span<const double> component_weights,
                                           const lda::DocumentList& documents,
                                           const EvaluationOptions& options);

// Of a model of algorithm `gaussian`, parsed (model_file.h): vectors scaled as those of its corpus.
// A file that ends in .npy is read as such, any other as JSON lines. Errors: those of
// vector_reader.h.
absl::StatusOr<VectorMatrix> ReadVectorsFor(const v1::ModelFile& model, const std::string& path);

// Of a mixture of Gaussians: natural logarithms of densities, the mean over vectors, in units of
// the model's norm bound; higher is better, and only differences on the same vectors mean anything.
// FAILED_PRECONDITION if there is no vector. Threads: one. Cost: K·d of each vector.
struct GaussianEvaluation {
  int64_t vectors;
  double log_likelihood;  // of the mixture, a vector
  double one_gaussian;    // of one with its mean and variances
};

absl::StatusOr<GaussianEvaluation> EvaluateGaussians(const v1::ModelFile& model,
                                                     const VectorMatrix& vectors);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_EVALUATOR_H_
