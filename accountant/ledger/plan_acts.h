// Decides what analysts ask of plans, and what becomes of plans of themselves.
//
// PUBLIC. Pure functions, any thread; Decide and Events as ledger_state.h says. Acts of which the
// answer is "as it is" lead to no events.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_PLAN_ACTS_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_PLAN_ACTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/ledger/ledger_state.h"
#include "accountant/ledger/plan_admission.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

// PERMISSION_DENIED, the one answer for unknown and foreign plans: whether another's plan exists is
// not for the caller to learn.
absl::Status NoPlanOfYours();

// What a plan would be paid from. FAILED_PRECONDITION if the version of the corpus has no budget;
// INVALID_ARGUMENT if it is not of the name.
absl::StatusOr<const BudgetState*> BudgetFor(const LedgerState& ledger,
                                             const v1::ReleaseSpec& plan);

// Sets J·c aside from the budget and from the principal's cap. From outside: that the request id is
// a new one (a repeated one is answered with its plan, or ALREADY_EXISTS, and not decided); the
// plan's id, random.
// INVALID_ARGUMENT for a plan that cannot be priced; FAILED_PRECONDITION if the corpus has no
// budget, is frozen or paused, or the principal has too many plans.
struct ReserveAct {
  Purse purse;
  v1::ReleaseSpec plan;
  std::string plan_id;  // 32 hexadecimal digits
  int64_t now_ms;
  // What has been weighed for this act so far.
  std::optional<WeighedCap> weighed = std::nullopt;
};
// Whether it fits is decided by counting. What takes long and needs no lock is worked out from
// `accounts` (plan_admission.h): for kCapNotWeighed WeighCap, with which the act is decided again;
// for what refuses it RefusalOf, which says what would have fitted.
struct ReserveDecision {
  Limit refused_by = Limit::kNone;
  std::optional<Accounts> accounts = {};  // unless it fits
  Events events = {};                     // if it was not
};
absl::StatusOr<ReserveDecision> Decide(const LedgerState& ledger, const ReserveAct& act);

// Gives back what was never charged, and ends the plan; again: no event. PERMISSION_DENIED, in the
// same words for unknown and foreign plans; by the custodian, who sees all, NOT_FOUND.
struct CancelAct {
  std::string plan_id;
  int64_t now_ms;
  std::optional<std::string> principal;  // none: the custodian
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const CancelAct& act);

// Cancels active plans of which nothing was charged for so many days, of each budget the oldest
// first: of every version that the ledger knows, for nobody uses those of one that was replaced.
struct ExpireAct {
  std::map<std::string, int> reservation_days;  // by corpus; of others kDefaultReservationDays
  int64_t now_ms;
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const ExpireAct& act);

// Stops an active plan for what was found at one of its iterations (a damaged release); nothing
// for a plan that is not active. NOT_FOUND.
struct PauseAct {
  std::string plan_id;
  int iteration;
  int64_t at_ms;  // a public time
};
absl::StatusOr<Events> Decide(const LedgerState& ledger, const PauseAct& act);

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_PLAN_ACTS_H_
