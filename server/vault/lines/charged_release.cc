#include "server/vault/lines/charged_release.h"

#include "absl/strings/str_cat.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "server/ledger/privacy_ledger.h"
#include "server/log/event_log.h"

namespace topicwall::server {

using Instant = release::ReleaseSchedule::Instant;

namespace {

// Of what is stored, or not to be stored: for that S is of no account.
release::ReleaseSchedule ScheduleOf(const ChargedRelease& charged) {
  return charged.interval_ms > 0 ? release::ReleaseSchedule::Every(charged.interval_ms)
                                 : release::ReleaseSchedule::Unprotected();
}

}  // namespace

absl::Status GoingDown() {
  return absl::UnavailableError(
      "the server is going down; the release is paid: send the same request when it is up again");
}

// Log and alarm come after the instant, when the ledger tells the same. If the ledger fails here
// the release stays stored: the next request for it, or the next start, publishes it.
absl::Status Publish(Wall& wall, const ChargedRelease& charged, const Instant& instant) {
  if (!wall.clock().SleepUntilMs(instant.readable_at_ms)) return GoingDown();
  TOPICWALL_KILL_POINT("before-publish");
  TW_RETURN_IF_ERROR(wall.ledger().Publish({.plan_id = charged.plan_id,
                                            .iteration = charged.iteration,
                                            .readable_at_ms = instant.readable_at_ms,
                                            .intervals_waited = instant.intervals}));
  wall.log().Write(LogEvent::kReleasePublished,
                   {{LogField::kCorpus, charged.corpus},
                    {LogField::kPlan, charged.plan_id},
                    {LogField::kIteration, int64_t{charged.iteration}},
                    {LogField::kIntervals, int64_t{instant.intervals}}});
  if (instant.intervals > 1) wall.log().Alarm(kAlarmOverrun, charged.corpus);
  return absl::OkStatus();
}

absl::Status PublishStored(Wall& wall, const ChargedRelease& charged) {
  const int64_t now_ms = wall.clock().NowMs();
  const Instant none_left = {now_ms, now_ms, release::ReleaseSchedule::kLevels.back()};
  return Publish(wall, charged,
                 ScheduleOf(charged).InTime(charged.begun_at_ms, now_ms, 0).value_or(none_left));
}

absl::Status VoidAtLast(Wall& wall, const ChargedRelease& charged,
                        v1::ReleaseVoided::Ground ground) {
  const Instant last = ScheduleOf(charged).Last(charged.begun_at_ms, wall.clock().NowMs(), 0);
  if (!wall.clock().SleepUntilMs(last.readable_at_ms)) return GoingDown();
  const bool unreadable = ground == v1::ReleaseVoided::UNREADABLE_DATA;
  wall.log().Alarm(unreadable ? kAlarmUnreadableUnits : kAlarmReleaseFailed, charged.corpus);
  TW_RETURN_IF_ERROR(wall.ledger().Void({.plan_id = charged.plan_id,
                                         .iteration = charged.iteration,
                                         .charge_id = charged.charge_id,
                                         .ground = ground,
                                         .at_ms = last.readable_at_ms}));
  return absl::DataLossError(absl::StrCat(
      "charge ", charged.charge_id,
      " is void: its release could not be completed and will not be. It stays paid, and sending "
      "the request again would not help. Ask the custodian."));
}

}  // namespace topicwall::server
