#include "client/wall/retry.h"

#include "absl/strings/match.h"

namespace topicwall::client {
namespace {

// What gRPC says for a server that has no thread for one call more. By its text: the wall answers
// RESOURCE_EXHAUSTED to more than it may hold, and gRPC to what is larger than it takes, which no
// other try mends.
bool HasNoThreadLeft(const absl::Status& status) {
  return absl::IsResourceExhausted(status) &&
         absl::StrContains(status.message(), "Threadpool Exhausted");
}

}  // namespace

bool IsWorthRetrying(const absl::Status& status) {
  // DEADLINE_EXCEEDED is not among them: who has waited that long is told, and asks again or not.
  return absl::IsUnavailable(status) || absl::IsAborted(status) || HasNoThreadLeft(status);
}

}  // namespace topicwall::client
