// The analyst's side of one E-step request: log topic weights, checked.
//
// ℓ: K×V, row-major, row = topic: values()[k * V + v] is the log weight of term v in topic k, in
// nats. Any finite ℓ <= 0 will do, normalised or not: E[log β] of the paper, or the logarithm of
// the mean topics (topic_model.h makes both).
//
// Privacy: PUBLIC (the analyst sends it), so that errors name topic, term and value.
// Threads: immutable after construction.
#ifndef TOPICWALL_MODEL_LDA_TOPICS_LOG_TOPICS_H_
#define TOPICWALL_MODEL_LDA_TOPICS_LOG_TOPICS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace topicwall::lda {

class TopicModel;

// Most entries K·V that one matrix of topics may have (16 GiB of float32).
inline constexpr int64_t kMaxTopicEntries = int64_t{1} << 32;
// INVALID_ARGUMENT, naming both, unless K >= 1, V >= 1 and K·V <= kMaxTopicEntries.
absl::Status CheckTopicShape(int num_topics, int vocabulary_size);
// Stands in for smaller logarithms where we make ℓ ourselves; exp of it is 0 in any precision.
inline constexpr float kLogTopicFloor = -1e9f;

// ℓ, borrowed from whoever holds it.
struct LogTopicsView {
  int num_topics;
  int vocabulary_size;
  absl::Span<const float> values;
};

// INVALID_ARGUMENT, naming the first offence, unless the shape is good (CheckTopicShape), there are
// K·V values, and each is finite and <= 0. Cost: one pass over ℓ.
absl::Status CheckLogTopics(const LogTopicsView& log_topics);

class LogTopics {
 public:
  // INVALID_ARGUMENT as CheckLogTopics.
  static absl::StatusOr<LogTopics> Create(int num_topics, int vocabulary_size,
                                          std::vector<float> row_major_k_by_v);

  int num_topics() const { return num_topics_; }
  int vocabulary_size() const { return vocabulary_size_; }
  absl::Span<const float> values() const { return values_; }
  // Of ℓ that is used no more.
  std::vector<float> TakeValues() && { return std::move(values_); }
  operator LogTopicsView() const { return {num_topics_, vocabulary_size_, values_}; }  // NOLINT

 private:
  // The two makers of ℓ from a model, which clamp into [kLogTopicFloor, 0] instead of checking.
  friend LogTopics LogMeanTopics(TopicModel model, int num_threads);
  friend LogTopics ExpectedLogBeta(TopicModel model, int num_threads);

  LogTopics(int num_topics, int vocabulary_size, std::vector<float> values);

  // Constant after construction.
  int num_topics_;
  int vocabulary_size_;
  std::vector<float> values_;
};

// ℓ = 0 everywhere: topics that are all alike. What a release then says is word counts, each in K
// equal parts if α is symmetric. INVALID_ARGUMENT for a shape that is none.
absl::StatusOr<LogTopics> UniformLogTopics(int num_topics, int vocabulary_size);

}  // namespace topicwall::lda

#endif  // TOPICWALL_MODEL_LDA_TOPICS_LOG_TOPICS_H_
