// Sending again what did not get through.
//
//   absl::StatusOr<v1::PlanPrice> price = Retry(policy, [&] { return SendOnce(request); });
//
// UNAVAILABLE (no connection, or a full queue, before anything was charged), ABORTED and gRPC's
// word for a server without a thread left are worth another try; everything else is an answer. The
// wait doubles from `first_delay` to `largest_delay`; once the waits would add up to more than
// `patience`, the last error is returned. There is no jitter: one analyst's client is no herd, and
// the wall's queue is bounded on its own side.
//
// Only for calls that are idempotent (wall_port.h: all are).
#ifndef TOPICWALL_CLIENT_WALL_RETRY_H_
#define TOPICWALL_CLIENT_WALL_RETRY_H_

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status_macros.h"

namespace topicwall::client {

struct RetryPolicy {
  absl::Duration first_delay;
  absl::Duration largest_delay;
  absl::Duration patience;  // of all delays together; zero: a single try
  // Waits; called with the error that made it necessary, so that a terminal can say so. An error
  // instead of OK ends the call with it: whoever waits may be told to stop.
  std::function<absl::Status(absl::Duration, const absl::Status&)> wait;
};

bool IsWorthRetrying(const absl::Status& status);

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

// `send` returns absl::Status or absl::StatusOr<T>; so does Retry.
template <typename Send>
auto Retry(const RetryPolicy& policy, Send&& send) -> decltype(send()) {
  absl::Duration delay = policy.first_delay;
  absl::Duration waited = absl::ZeroDuration();
  while (true) {
    auto answer = send();
    if (!IsWorthRetrying(StatusOf(answer)) || waited + delay > policy.patience) return answer;
    TW_RETURN_IF_ERROR(policy.wait(delay, StatusOf(answer)));
    waited += delay;
    delay = std::min(2 * delay, policy.largest_delay);
  }
}

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_RETRY_H_
