// The request pipeline: one E-step request from charge to reply, in one direction.
//
//   wait for the turn → store what could not be → data undamaged → memory → charge (durable) →
//   coins → E-step, clip and sum → noise → hold → store moment: store (durable) →
//   instant: publish → read back → reply
//
// Each step takes what only the step before can make, so none can be left out or
// reordered: see server/ledger/charge_receipt.h. What is replied is read from the
// store, never the buffer just computed, so a reply is a release that is durable.
//
// After the charge nothing is done at a time that depends on the documents but computing: the
// ledger, the log and the client see the store moment and the instant of a level, and every failure
// at the last instant alone (release/release_schedule.h). A computation that is not ready for the
// last level is abandoned, and its release voided then; so is one that failed, whatever the reason,
// and one of documents that could not be read. A lost connection changes nothing: the release is
// stored, and read later. The turn is held until publication or void. A release that the ledger
// cannot keep at its store moment is tried again until the last instant; then it is kept in memory,
// and goes before whatever is asked for next (lines/unstored_release.h).
#ifndef TOPICWALL_SERVER_VAULT_PRIVATE_E_STEP_H_
#define TOPICWALL_SERVER_VAULT_PRIVATE_E_STEP_H_

#include <vector>

#include "absl/status/status.h"
#include "server/ledger/privacy_ledger.h"
#include "server/release/release_queue.h"
#include "server/vault/release_request.h"
#include "server/vault/wall.h"

namespace topicwall::server {

// Runs `request` in its place of the queue and streams the release to `sink`; by then the request's
// parameters are no longer kept.
// Before the charge: UNAVAILABLE for want of memory, or while another release that is paid for
// cannot be stored, FAILED_PRECONDITION if the corpus's data have changed on disk, and what the
// ledger says (ALREADY_EXISTS, FAILED_PRECONDITION, DATA_LOSS), at a multiple of 10 ms. After it:
// DATA_LOSS for a release that is void, and INTERNAL with the charge's number for one that could
// not be stored: the iteration stays charged, and the same request gives the release once there is
// room. UNAVAILABLE if the server goes down meanwhile.
absl::Status RunPrivateEStep(Wall& wall, ReleaseRequest request, release::ReleaseQueue::Place place,
                             ledger::ReleaseSink& sink);

// At start: begins the instants of releases that were stored before the server went down again.
std::vector<ledger::UnpublishedRelease> RestartUnfinished(Wall& wall);

// Publishes them, each at its instant. Returns when all are published or the clock is interrupted.
void PublishUnfinished(Wall& wall, const std::vector<ledger::UnpublishedRelease>& unfinished);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_PRIVATE_E_STEP_H_
