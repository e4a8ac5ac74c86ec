// A topic model of documents that the analyst owns: no wall, no noise, no privacy.
//
//   absl::StatusOr<lda::TopicModel> model = FitPlainly(
//       {.documents = documents, .vocabulary_size = V},
//       {.num_topics = 50, .passes = 5, .seed = 1});
//
// Hoffman, Blei and Bach's online variational Bayes (model/lda/topics/online_trainer.h), started
// from some of the documents (model/lda/topics/initial_topics.h); α = η = 1/K, τ0 = 10, κ = 0.7,
// and about fourteen batches a pass, of 64 to 4,096 documents. Documents are taken in one random
// order. In the end α is learned from 4,000 of them (model/lda/topics/learned_prior.h): on held-out
// documents of the Debian catalogue, K = 50, three passes, completion 1073 instead of 1094; on
// arXiv's abstracts 873 instead of 967.
//
// Errors: INVALID_ARGUMENT names what is wrong; FAILED_PRECONDITION if no document has a word.
// Threads: all processors, which changes no bits. The model is as private as the documents.
#ifndef TOPICWALL_CLIENT_FIT_PLAIN_FIT_H_
#define TOPICWALL_CLIENT_FIT_PLAIN_FIT_H_

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "model/data/document.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::client {

struct PlainCorpus {
  const lda::DocumentList& documents;
  int vocabulary_size;  // V
};

struct PlainFitSettings {
  int num_topics;  // K
  int passes;      // over all documents, >= 1
  uint64_t seed;   // of the start and the order
  // Told after each pass.
  std::function<void(int passes_done)> on_progress = {};
};

absl::StatusOr<lda::TopicModel> FitPlainly(const PlainCorpus& corpus,
                                           const PlainFitSettings& settings);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_PLAIN_FIT_H_
