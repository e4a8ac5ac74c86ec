// Of which topics documents of the analyst's own are, by a model of either kind.
//
// Topics: model/lda/reading/topic_proportions.h. A mixture: how likely each component is of the
// whole document (model/mixture/mixture_perplexity.h). A document without a known word has what the
// model expects of any: its α, or how common each component is.
//
// Errors: those of ModelOf (client/fit/model_file.h), and of the two; of AssignDocuments
// FAILED_PRECONDITION if the model is no mixture. PUBLIC, or whose the documents are. Threads: uses
// all processors, which change no bits.
#ifndef TOPICWALL_CLIENT_EVALUATE_DOCUMENT_SHARES_H_
#define TOPICWALL_CLIENT_EVALUATE_DOCUMENT_SHARES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "model/data/document.h"
#include "model/mixture/mixture_perplexity.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// Of each of K topics: n×K, row = document.
absl::StatusOr<std::vector<double>> SharesOfDocuments(const v1::ModelFile& file,
                                                      const lda::DocumentList& documents);

// Of a mixture: the one component of each.
absl::StatusOr<std::vector<mixture::Assignment>> AssignDocuments(
    const v1::ModelFile& file, const lda::DocumentList& documents);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_EVALUATE_DOCUMENT_SHARES_H_
