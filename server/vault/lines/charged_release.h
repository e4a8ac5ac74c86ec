// How a release that is charged ends: it is published at the instant of a level, or voided at the
// last one.
//
// Privacy: what the ledger, the log and the client see of it they see at an instant of the schedule
// and no sooner. Threads: of whoever has the turn of the queue; at start, of whoever publishes what
// was left.
#ifndef TOPICWALL_SERVER_VAULT_LINES_CHARGED_RELEASE_H_
#define TOPICWALL_SERVER_VAULT_LINES_CHARGED_RELEASE_H_

#include "absl/status/status.h"
#include "proto/ledger.pb.h"
#include "server/ledger/charge_requests.h"
#include "server/release/release_schedule.h"
#include "server/vault/wall.h"

namespace topicwall::server {

using ledger::ChargedRelease;

// UNAVAILABLE, of a release that is paid.
absl::Status GoingDown();

// At the instant, of a stored release. GoingDown() if the server goes down before.
absl::Status Publish(Wall& wall, const ChargedRelease& charged,
                     const release::ReleaseSchedule::Instant& instant);

// A release that is stored already, in an earlier run of the server or by somebody else: on the
// schedule that it was begun on, whatever is served and configured now. One that has missed all its
// levels, for instance because the ledger could not be written at its instant, is readable at once
// and counts as the longest overrun.
absl::Status PublishStored(Wall& wall, const ChargedRelease& charged);

// The one way in which a charged release fails, at the one instant at which it may: DATA_LOSS.
// However early a failure was known, and whatever it was: one instant and one text, so that neither
// tells of a document. Without timing protection the last instant is now.
absl::Status VoidAtLast(Wall& wall, const ChargedRelease& charged,
                        v1::ReleaseVoided::Ground ground);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_LINES_CHARGED_RELEASE_H_
