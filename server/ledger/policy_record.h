// A budget's policy as events, answers and tables record it, and back.
//
// One of two messages, FilterRecord or InventoryRecord, never both: what was recorded at opening
// says by itself how the budget decides. PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_SERVER_LEDGER_POLICY_RECORD_H_
#define TOPICWALL_SERVER_LEDGER_POLICY_RECORD_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/events/dp_event.h"
#include "accountant/filters/admission_policy.h"
#include "proto/ledger.pb.h"
#include "proto/topicwall.pb.h"

namespace topicwall::ledger {

v1::PolicyRecord RecordOf(const accountant::PolicySpec& spec);
v1::PolicyRecord RecordOf(const v1::BudgetOpened& act);
void SetPolicy(const v1::PolicyRecord& record, v1::BudgetOpened* act);
void SetPolicy(const v1::PolicyRecord& record, v1::BudgetStatus* status);

// INVALID_ARGUMENT if neither is set, or no policy can be made of it.
absl::StatusOr<accountant::AdmissionPolicy> PolicyOf(const v1::PolicyRecord& record);
// From its serialized form in a table: DATA_LOSS.
absl::StatusOr<accountant::AdmissionPolicy> PolicyOfBytes(absl::string_view bytes);

// What the plan of an event does to an accountant. INVALID_ARGUMENT.
absl::StatusOr<accountant::DpEvent> EventOf(const v1::PlanReserved& act);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_POLICY_RECORD_H_
