// Of which topics documents of one's own are.
//
//   absl::StatusOr<std::vector<double>> proportions =
//       TopicProportions(model, documents, {.num_threads = 4});
//   (*proportions)[d * K + k];   // θ_dk
//
// θ_d = γ_d/Σγ_d of the E-step under the mean topics and the model's α (e_step.h): n×K, row =
// document; rows sum to 1. A document without a known word has α/Σα. Errors: INVALID_ARGUMENT if a
// document is not canonical over the model's vocabulary or options are out of range. PUBLIC, or
// whose the documents are. Pure; on up to num_threads, which change no bits. Cost: one E-step.
#ifndef TOPICWALL_MODEL_LDA_READING_TOPIC_PROPORTIONS_H_
#define TOPICWALL_MODEL_LDA_READING_TOPIC_PROPORTIONS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "model/data/document.h"
#include "model/lda/topics/held_out_perplexity.h"
#include "model/lda/topics/topic_model.h"

namespace topicwall::lda {

absl::StatusOr<std::vector<double>> TopicProportions(const TopicModel& model,
                                                     const DocumentList& documents,
                                                     const HeldOutOptions& options);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_READING_TOPIC_PROPORTIONS_H_
