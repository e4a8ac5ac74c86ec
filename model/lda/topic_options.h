// What an analyst asks of topics behind the wall, by whichever model: how many there are, and how
// the E-step is to run. Read from the bytes of proto/models/lda.proto.
//
//   TW_ASSIGN_OR_RETURN(TopicOptions options, ParseTopicOptions(bytes, vocabulary_size));
//   TW_ASSIGN_OR_RETURN(EStep e_step, BindTopics(options, log_topics, num_threads));
//
// PUBLIC. Threads: values.
#ifndef TOPICWALL_MODEL_LDA_TOPIC_OPTIONS_H_
#define TOPICWALL_MODEL_LDA_TOPIC_OPTIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/lda/topics/e_step.h"
#include "model/lda/topics/log_topics.h"
#include "model/statistic_model.h"

namespace topicwall::lda {

struct TopicOptions {
  int num_topics;       // K
  int vocabulary_size;  // V
  EStepOptions e_step;
  bool one_topic_a_document = false;  // a mixture, for which e_step is of no effect

  // Of ℓ: the terms, and of a mixture log π.
  int num_columns() const { return vocabulary_size + (one_topic_a_document ? 1 : 0); }
  // ℓ, and the E-step's iterations.
  model::Demand Demand(bool needs_weights) const {
    return {.parameters = int64_t{num_topics} * num_columns(),
            .iterations = e_step.max_iterations,
            .needs_weights = needs_weights};
  }
  // ℓ as it was received, not checked.
  LogTopicsView View(absl::Span<const float> log_topics) const {
    return {.num_topics = num_topics, .vocabulary_size = num_columns(), .values = log_topics};
  }
};

// α of topics behind the wall, and what the mean change may be; narrower than what an E-step takes.
inline constexpr double kMinDocumentTopicPrior = 1e-6;
inline constexpr double kMaxDocumentTopicPrior = 1e3;
inline constexpr double kMaxMeanChangeThreshold = 1;

// INVALID_ARGUMENT for bytes that are no LdaOptions, and for options out of range (above,
// e_step.h).
absl::StatusOr<TopicOptions> ParseTopicOptions(absl::string_view serialised,
                                               int64_t vocabulary_size);

// INVALID_ARGUMENT unless ℓ is good (CheckLogTopics). On the kernel that is chosen.
absl::StatusOr<EStep> BindTopics(const TopicOptions& options, absl::Span<const float> log_topics,
                                 int num_threads);

// Of ℓ as it is received, and of the E-step's table.
int64_t BytesOfTopics(int64_t num_topics, int64_t vocabulary_size);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPIC_OPTIONS_H_
