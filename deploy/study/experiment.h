// What every recipe is trained on and judged by: public documents, and others held out.
//
//   absl::StatusOr<Experiment> experiment = ReadExperiment({.documents = "docword.txt", …});
//
// Documents are UCI counts, or texts if the name ends in .jsonl
// (client/evaluate/document_reader.h). Each held-out document is split into halves once, with the
// same seed for all recipes. The unigram is that of the training documents themselves, with 0.1
// added to each count: not private. With `by_owner` the unit is whoever a line's "owner" names
// (.jsonl), and the documents of one stand together. Errors: those of the reader.
#ifndef TOPICWALL_DEPLOY_STUDY_EXPERIMENT_H_
#define TOPICWALL_DEPLOY_STUDY_EXPERIMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/data/document.h"
#include "model/data/vocabulary.h"
#include "model/lda/denoise/prior/related_terms.h"
#include "model/lda/topics/held_out_perplexity.h"

namespace topicwall::study {

struct ExperimentFiles {
  std::string documents;
  std::string held_out;
  std::string vocabulary;      // one term a line
  int64_t most_documents = 0;  // > 0: so many of the documents, at even distances
  bool by_owner = false;       // then of all documents
};

struct Experiment {
  lda::DocumentList documents;
  std::vector<size_t> units = {};  // where each owner's begin; empty: every document is a unit
  lda::DocumentList held_out;
  lda::TokenSplit split;  // of held_out
  lda::Vocabulary vocabulary;
  lda::RelatedTerms related_terms;  // of the vocabulary
  std::vector<double> unigram;

  int vocabulary_size() const { return static_cast<int>(vocabulary.size()); }
};

absl::StatusOr<Experiment> ReadExperiment(const ExperimentFiles& files);

}  // namespace topicwall::study

#endif  // TOPICWALL_DEPLOY_STUDY_EXPERIMENT_H_
