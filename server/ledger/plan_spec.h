// What analysts asked for, put together from a plan's event and its weights.
//
// The event has the whole spec, and of the weights their SHA-256: they are as large as a
// vocabulary, and many plans have the same. They are kept beside the chain, as a blob, once each.
// PUBLIC to the plan's analyst. Threads: any.
#ifndef TOPICWALL_SERVER_LEDGER_PLAN_SPEC_H_
#define TOPICWALL_SERVER_LEDGER_PLAN_SPEC_H_

#include "absl/status/statusor.h"
#include "accountant/ledger/plan_record.h"
#include "proto/wall.pb.h"
#include "server/ledger/charge_receipt.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// Adds the plan's weights, if it has any, to what an act writes. The change refers to `spec`.
void AddWeights(const v1::ReleaseSpec& spec, store::Change* change);

// The plan as it was asked for. DATA_LOSS if nobody asked for it here, or its weights are missing
// or not those of its event. A plan that was taken over from a lost ledger was not asked for here,
// and may have none but its weights' digest.
absl::StatusOr<v1::ReleaseSpec> SpecOf(store::EventStore& store,
                                       const accountant::ledger::Plan& plan);

// The same plan as the mechanism needs it.
PaidMechanism MechanismOf(const v1::ReleaseSpec& spec);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_PLAN_SPEC_H_
