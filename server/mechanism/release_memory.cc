#include "server/mechanism/release_memory.h"

#include <cstddef>
#include <new>

#include "absl/status/status.h"
#include "server/mechanism/mechanism_limits.h"

namespace topicwall::mechanism {

ReleaseMemory::ReleaseMemory(int num_topics, int64_t vocabulary_size)
    : num_topics_(num_topics),
      vocabulary_size_(vocabulary_size),
      low_(static_cast<std::size_t>(num_topics) * static_cast<std::size_t>(vocabulary_size)),
      high_(low_.size()),
      noisy_(low_.size()) {}

absl::StatusOr<ReleaseMemory> ReleaseMemory::Reserve(int num_topics, int64_t vocabulary_size) {
  absl::Status status = ValidateShape(num_topics, vocabulary_size);
  if (!status.ok()) return status;
  try {
    return ReleaseMemory(num_topics, vocabulary_size);
  } catch (const std::bad_alloc&) {
    return absl::UnavailableError(
        "not enough memory for a release of this size now; try again later or ask for fewer "
        "topics");
  }
}

}  // namespace topicwall::mechanism
