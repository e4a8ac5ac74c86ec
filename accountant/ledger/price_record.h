// What a budget promises, as the service tells it beside a price (plan_admission.h).
//
//   TW_RETURN_IF_ERROR(TellPromise(policy.budget(), bounds, &price));
//   TW_RETURN_IF_ERROR(TellSum(sum, &price));
//
// PUBLIC. Pure functions, any thread.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_PRICE_RECORD_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_PRICE_RECORD_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/events/privacy_params.h"
#include "accountant/filters/attack_bounds.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

v1::AttackBounds RecordOf(const AttackBounds& bounds);

// A promise about one privacy unit that is there or not, in other units of protection.
struct OtherUnits {
  PrivacyParams replace_one;                                      // one unit for another
  google::protobuf::RepeatedPtrField<v1::GroupGuarantee> groups;  // of 2, 5 and 10 units
};

// Whether one of these says anything: with δ = 1, which it comes to where ε is large, a pair holds
// of any mechanism at all, and its ε, if it were shown, would look like a promise.
bool IsAPromise(const PrivacyParams& pair);
// "epsilon 2.4400 at delta 1e-06"; "no promise (delta would be 1)".
std::string PromiseText(const PrivacyParams& pair);

// INVALID_ARGUMENT for a promise that is none (PrivacyParams).
absl::StatusOr<OtherUnits> OtherUnitsOf(const PrivacyParams& promise);

// What follows from the promise of the whole budget, whose attacks are bounded so.
absl::Status TellPromise(const PrivacyParams& promise, const AttackBounds& bounds,
                         v1::PlanPrice* price);

// The sum over all budgets that may concern the same people, and what follows from it; nothing of
// either where there is no other budget.
absl::Status TellSum(const v1::BudgetSum& sum, v1::PlanPrice* price);

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_PRICE_RECORD_H_
