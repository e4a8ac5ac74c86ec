// What analysts asked for, of which events keep only what is priced: a plan's text, kept beside the
// chain and held against the digest that its event has.
//
// Term weights are as large as a vocabulary, and many plans have the same: they are kept apart from
// the text, once each. A plan that was taken over from a lost ledger has no text; what its event
// says stands for it. PUBLIC to the plan's analyst. Threads: any.
#ifndef TOPICWALL_SERVER_LEDGER_FOLDED_PLAN_TEXT_H_
#define TOPICWALL_SERVER_LEDGER_FOLDED_PLAN_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/ledger/plan_record.h"
#include "proto/topicwall.pb.h"
#include "server/ledger/charge_receipt.h"
#include "server/store/event_store.h"

namespace topicwall::ledger {

// The plan's serialized form, the same for the same plan; what plan_sha256 is taken of.
std::string BytesOfPlan(const v1::PlanSpec& plan);

// Adds the plan's text, and its weights, to what an act writes. The change refers to the plan.
void AddText(const v1::PlanSpec& plan, store::PlanRecord record, store::Change* change);

// The plan as it was asked for. DATA_LOSS if its text is missing or is not what was priced.
absl::StatusOr<v1::PlanSpec> TextOf(store::EventStore& store, const accountant::ledger::Plan& plan);

// The same plan as the mechanism needs it.
PaidMechanism MechanismOf(const v1::PlanSpec& plan);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_FOLDED_PLAN_TEXT_H_
