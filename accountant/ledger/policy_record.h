// A budget's policy and a plan's mechanism as events record them, and back.
//
// What was recorded at opening says by itself how the budget decides, for ever. PUBLIC. Pure
// functions, any thread.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_POLICY_RECORD_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_POLICY_RECORD_H_

#include "absl/status/statusor.h"
#include "accountant/events/dp_event.h"
#include "accountant/filters/admission_policy.h"
#include "proto/ledger.pb.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

void SetPolicy(const PolicySpec& spec, v1::BudgetOpened* act);

// INVALID_ARGUMENT if neither filter nor inventory is set, or no policy can be made of it. A
// budget's status states the same two records.
absl::StatusOr<AdmissionPolicy> PolicyOf(const v1::BudgetOpened& act);
absl::StatusOr<AdmissionPolicy> PolicyOf(const v1::BudgetStatus& budget);

// (ε, δ) that the opening promises.
PrivacyParams PromiseOf(const v1::BudgetOpened& act);

// What a plan does to an accountant: all its releases, of each everything that is priced,
// statistics and norm histogram together. INVALID_ARGUMENT without a mechanism, or with one that
// has no price. What a plan that is asked for must keep besides is AskedEvent's (plan_admission.h).
absl::StatusOr<DpEvent> EventOf(const v1::ReleaseSpec& spec);

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_POLICY_RECORD_H_
