// Document completion as the server computes it: how well the topics that the analyst sends predict
// one half of each document from the other, so that somebody who may see no document can tell a
// good model from a bad one.
//
// Options: proto/models/lda.proto. Parameters: ℓ, K·V log topics (model/lda/topics/log_topics.h),
// of a mixture K·(V + 1) log weights (model/mixture/responsibilities.h). Shape: D = P = 2, one row:
// A, minus the log-likelihood of the halves that are scored, in nats, and n, their words; both >= 0
// (completion_score.h). Perplexity is exp(ΣA/Σn), of whatever topics. Bits: each document's halves
// are drawn from its own stream (token_halves.h).
#ifndef TOPICWALL_MODEL_COMPLETION_COMPLETION_MODEL_H_
#define TOPICWALL_MODEL_COMPLETION_COMPLETION_MODEL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/statistic_model.h"

namespace topicwall::completion {

// INVALID_ARGUMENT as ParseTopicOptions (model/lda/topic_options.h).
absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeCompletionModel(
    absl::string_view options, int64_t vocabulary_size);

}  // namespace topicwall::completion

#endif  // TOPICWALL_MODEL_COMPLETION_COMPLETION_MODEL_H_
