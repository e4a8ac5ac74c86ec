#include "server/release/release_schedule.h"

#include <algorithm>

namespace topicwall::release {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;
constexpr int64_t kActMs = 10;

}  // namespace

// Rounded up to whole mebibytes, and never more than half of T: the other half is left to compute
// in. It is a function of the size alone, which is K·V and public.
int64_t ReleaseSchedule::StoreMs(int64_t bytes) const {
  const int64_t mebibytes = (std::max<int64_t>(bytes, 0) + kMebibyte - 1) / kMebibyte;
  return std::min(interval_ms_ / 2, kStoreMs + store_ms_per_mebibyte_ * mebibytes);
}

ReleaseSchedule::Instant ReleaseSchedule::Level(int64_t begun_at_ms, int32_t intervals,
                                                int64_t store_ms) const {
  const int64_t readable_at_ms = begun_at_ms + intervals * interval_ms_;
  return {.store_at_ms = readable_at_ms - store_ms,
          .readable_at_ms = readable_at_ms,
          .intervals = intervals};
}

// However long a computation takes, what this tells of it is one of six things: a level, or none.
std::optional<ReleaseSchedule::Instant> ReleaseSchedule::InTime(int64_t begun_at_ms,
                                                                int64_t ready_ms,
                                                                int64_t store_ms) const {
  if (!is_protected()) {
    return Instant{.store_at_ms = ready_ms, .readable_at_ms = ready_ms, .intervals = 0};
  }
  for (const int32_t intervals : kLevels) {
    const Instant level = Level(begun_at_ms, intervals, store_ms);
    // A moment that has come already could not be kept.
    if (ready_ms < level.store_at_ms) return level;
  }
  return std::nullopt;
}

ReleaseSchedule::Instant ReleaseSchedule::Last(int64_t begun_at_ms, int64_t now_ms,
                                               int64_t store_ms) const {
  if (!is_protected()) {
    return {.store_at_ms = now_ms, .readable_at_ms = now_ms, .intervals = 0};
  }
  return Level(begun_at_ms, kLevels.back(), store_ms);
}

int64_t ReleaseSchedule::AnsweredAt(int64_t now_ms) const {
  return is_protected() ? (now_ms / kActMs + 1) * kActMs : now_ms;
}

}  // namespace topicwall::release
