#include "server/release/release_schedule.h"

#include <algorithm>
#include <limits>

namespace topicwall::release {

ReleaseSchedule::Instant ReleaseSchedule::ReadableAt(int64_t charged_at_ms, int64_t now_ms) const {
  if (!interval_ms_.has_value()) return {.readable_at_ms = now_ms, .intervals = 0};
  const int64_t interval = *interval_ms_;
  const int64_t elapsed = std::max<int64_t>(now_ms - charged_at_ms, 0);
  // The first multiple that is strictly later than now: an instant that has come
  // already could not be kept.
  const int64_t intervals = elapsed / interval + 1;
  return {.readable_at_ms = charged_at_ms + intervals * interval,
          .intervals = static_cast<int32_t>(
              std::min<int64_t>(intervals, std::numeric_limits<int32_t>::max()))};
}

}  // namespace topicwall::release
