#include "server/release/store_moment.h"

#include <optional>

namespace topicwall::release {

// Levels that had passed before anybody could compute are left out: who asked for them would be
// told how soon a computation was done that had hardly begun. Where that are all, it was a slow
// disk, or a standstill.
StoreMoment AwaitStoreMoment(Clock& clock, const ReleaseSchedule& schedule, int64_t begun_at_ms,
                             int64_t store_ms, const Readiness& readiness) {
  if (!schedule.is_protected()) {
    if (!readiness.await()) return {StoreMoment::kInterrupted, {}};
    return {StoreMoment::kReady, *schedule.InTime(begun_at_ms, clock.NowMs(), 0)};
  }
  std::optional<ReleaseSchedule::Instant> level =
      schedule.InTime(begun_at_ms, clock.NowMs(), store_ms);
  if (!level.has_value()) return {StoreMoment::kStoodStill, {}};
  while (level.has_value()) {
    if (!clock.SleepUntilMs(level->store_at_ms)) return {StoreMoment::kInterrupted, {}};
    const int64_t awake_at_ms = clock.NowMs();
    if (!(awake_at_ms - level->store_at_ms <= kStandstillMs)) return {StoreMoment::kStoodStill, {}};
    if (readiness.ask()) return {StoreMoment::kReady, *level};
    level = schedule.InTime(begun_at_ms, awake_at_ms, store_ms);
  }
  return {StoreMoment::kTooLate, {}};
}

}  // namespace topicwall::release
