// LDA as the server computes it: a unit's statistic is what Park et al., Private Topic Modeling,
// Algorithm 1, step (1) makes of its documents under the topics that the analyst sends, summed over
// them: expected words of each topic and term (topics/e_step.h, topics/sufficient_statistics.h).
//
// Options: proto/models/lda.proto. Parameters: ℓ, K·V log topics (topics/log_topics.h).
// Shape: D = K·V; columns are terms (P = V), rows are topics; values in words, >= 0.
// What is made of its releases is the analyst's half: topics/m_step.h, denoise/.
#ifndef TOPICWALL_MODEL_LDA_LDA_MODEL_H_
#define TOPICWALL_MODEL_LDA_LDA_MODEL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/statistic_model.h"

namespace topicwall::lda {

// INVALID_ARGUMENT as ParseTopicOptions (topic_options.h).
absl::StatusOr<std::unique_ptr<model::StatisticModel>> MakeLdaModel(absl::string_view options,
                                                                    int64_t vocabulary_size);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_LDA_MODEL_H_
