#include "model/lda/topics/log_topics.h"

#include <cstddef>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::lda {
namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();

// Looks at every entry, so that the loop is vectorised.
bool AllFiniteAndAtMostZero(absl::Span<const float> values) {
  int bad = 0;
  // NaN fails both comparisons, −infinity the second.
  for (const float value : values) bad |= static_cast<int>(!((value <= 0) & (value >= kLowest)));
  return bad == 0;
}

}  // namespace

absl::Status CheckTopicShape(int num_topics, int vocabulary_size) {
  if (num_topics >= 1 && vocabulary_size >= 1 &&
      int64_t{num_topics} * vocabulary_size <= kMaxTopicEntries) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "num_topics and vocabulary_size must be at least 1 and their product at most 2^32; got ",
      num_topics, " and ", vocabulary_size));
}

absl::Status CheckLogTopics(const LogTopicsView& log_topics) {
  const auto [num_topics, vocabulary_size, values] = log_topics;
  TW_RETURN_IF_ERROR(CheckTopicShape(num_topics, vocabulary_size));
  const auto expected = static_cast<size_t>(num_topics) * static_cast<size_t>(vocabulary_size);
  if (values.size() != expected) {
    return absl::InvalidArgumentError(absl::StrCat("log topics must have num_topics times ",
                                                   "vocabulary_size = ", expected, " entries; got ",
                                                   values.size()));
  }
  // Two passes: a fast one without a branch for what is nearly always the case, and a slow one that
  // finds the first offence for the message.
  const size_t checked = AllFiniteAndAtMostZero(values) ? expected : 0;
  for (size_t i = checked; i < expected; ++i) {
    const float value = values[i];
    if (!(value <= 0.0f && value >= kLowest)) {
      return absl::InvalidArgumentError(
          absl::StrCat("log topics must be finite and at most 0; got ", value, " for topic ",
                       i / static_cast<size_t>(vocabulary_size), ", term ",
                       i % static_cast<size_t>(vocabulary_size), " (counted from 0)"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<LogTopics> LogTopics::Create(int num_topics, int vocabulary_size,
                                            std::vector<float> row_major_k_by_v) {
  TW_RETURN_IF_ERROR(CheckLogTopics({num_topics, vocabulary_size, row_major_k_by_v}));
  return LogTopics(num_topics, vocabulary_size, std::move(row_major_k_by_v));
}

LogTopics::LogTopics(int num_topics, int vocabulary_size, std::vector<float> values)
    : num_topics_(num_topics), vocabulary_size_(vocabulary_size), values_(std::move(values)) {}

absl::StatusOr<LogTopics> UniformLogTopics(int num_topics, int vocabulary_size) {
  TW_RETURN_IF_ERROR(CheckTopicShape(num_topics, vocabulary_size));
  const auto entries = static_cast<size_t>(num_topics) * static_cast<size_t>(vocabulary_size);
  return LogTopics::Create(num_topics, vocabulary_size, std::vector<float>(entries, 0.0F));
}

}  // namespace topicwall::lda
