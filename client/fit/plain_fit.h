// A topic model of documents that the analyst owns: no wall, no noise, no privacy.
//
// The trainer of a private fit (model/lda/denoise/denoised_trainer.h) with the true unigram and
// sums without clip and noise, so that it is a yardstick for one: annealed from exponent 0.5 until
// four fifths of the updates, η an eighth of a topic's mass, Kα = 2. There are as many updates as a
// private fit has, kMostUsefulIterations, or more: an update is a pass, or where passes are fewer a
// batch, scaled up to the corpus and averaged with those before it (batches of 64 documents or
// more). Documents are taken in one random order. In the end α is learned from 4,000 of them
// (model/lda/topics/learned_prior.h), if it is to be.
//
// A mixture of multinomials is fitted likewise, by the recipe of its private fit
// (algorithms/mixture_fit.h), which does not anneal: where a batch is all documents it is EM. No α
// is learned; component_weights say how common components are.
//
// Errors: INVALID_ARGUMENT names what is wrong; FAILED_PRECONDITION if no document has a word.
// Threads: num_threads, which change no bits. The model is as private as the documents.
#ifndef TOPICWALL_CLIENT_FIT_PLAIN_FIT_H_
#define TOPICWALL_CLIENT_FIT_PLAIN_FIT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "base/threads/for_each_block.h"
#include "model/data/document.h"
#include "model/data/vocabulary.h"
#include "model/lda/denoise/first_topics.h"
#include "model/lda/topics/topic_model.h"
#include "proto/model.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::client {

struct PlainCorpus {
  const lda::DocumentList& documents;
  int vocabulary_size;  // V
};

struct PlainFitSettings {
  int num_topics;  // K
  int passes;      // over all documents, >= 1
  uint64_t seed;   // of the start and the order
  int num_threads = lda::NumProcessors();
  std::optional<double> document_topic_prior = {};  // α of each topic, > 0; usually Kα = 2
  bool learns_prior = true;  // α, in the end; it takes as long as many passes over few documents
  // Told after each pass; what it throws ends the fit.
  std::function<void(int passes_done)> on_progress = {};
  // Topics to begin with, undecided (initial_model.h).
  std::optional<v1::WarmStart> warm_start = {};
  lda::AnchorTerms anchors = {};  // of topics to begin with instead (anchors.h)
  bool is_mixture = false;        // whose topics are components, one of each document
};

struct PlainFit {
  lda::TopicModel model;
  std::optional<v1::WarmStart> warm_start = {};  // decided, if one was given; without its topics
  std::vector<double> component_weights = {};    // π of a mixture
};

absl::StatusOr<PlainFit> FitPlainly(const PlainCorpus& corpus, const PlainFitSettings& settings);

// Of a fit without an initial model. It promises nothing: ε is infinite, δ 1.
v1::ModelFile PlainModelFile(const lda::TopicModel& model, const lda::Vocabulary& vocabulary,
                             const v1::CorpusDescription& description, int passes);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_PLAIN_FIT_H_
