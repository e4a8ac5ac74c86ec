// The spine: one E-step request from charge to reply, in one direction.
//
//   wait for the turn → charge (durable) → coins → E-step, clip and sum → noise →
//   store (durable) → wait for the instant → publish → read back → reply
//
// Each step takes what only the step before can make, so none can be left out or
// reordered: see server/ledger/charge_receipt.h. What is replied is read from the
// store, never the buffer just computed, so a reply is a release that is durable.
//
// After the charge nothing is answered before the release's instant, errors included;
// a lost connection changes nothing: the release is stored, and read later.
#ifndef TOPICWALL_SERVER_PRIVATE_E_STEP_H_
#define TOPICWALL_SERVER_PRIVATE_E_STEP_H_

#include "absl/status/status.h"
#include "server/e_step_request.h"
#include "server/ledger/privacy_ledger.h"
#include "server/release/release_queue.h"
#include "server/wall.h"

namespace topicwall::server {

// Runs `request` in its place of the corpus's queue and streams the release to `sink`.
// Before the charge: UNAVAILABLE for want of memory, and what the ledger says
// (ALREADY_EXISTS, FAILED_PRECONDITION, DATA_LOSS). After it: INTERNAL with the charge's
// number, one text whatever happened; the iteration stays charged, and the same
// request computes the same release again. UNAVAILABLE if the server goes down while
// the release waits for its instant.
absl::Status RunPrivateEStep(Wall& wall, const EStepRequest& request,
                             release::ReleaseQueue::Place place, ledger::ReleaseSink& sink);

// Publishes releases that were stored before the server went down, each at its next
// instant. Returns when all are published or the clock is interrupted.
void PublishUnfinished(Wall& wall);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_PRIVATE_E_STEP_H_
