#include "client/wall/retry.h"

namespace topicwall::client {

bool IsWorthRetrying(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsAborted(status);
}

}  // namespace topicwall::client
