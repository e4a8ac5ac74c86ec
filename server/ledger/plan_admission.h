// Whether a plan fits, and the numbers shown either way: one arithmetic for Price, Reserve
// and the reference plan of GetBudget.
//
//   TW_ASSIGN_OR_RETURN(Verdict verdict, JudgePlan({plan, purse, accounts}));  // in a transaction
//   if (verdict.refused_by != Limit::kNone) ...                                // after it:
//   return RefusalOf({plan, purse, accounts}, verdict.refused_by);
//
// The decision is apart from the numbers because an inventory decides by counting, and needs
// up to a second to say what that is in ε. PUBLIC: a function of plan, configuration and what
// was spent. Pure, any thread. Cost under a filter: pricing, about 1 ms.
#ifndef TOPICWALL_SERVER_LEDGER_PLAN_ADMISSION_H_
#define TOPICWALL_SERVER_LEDGER_PLAN_ADMISSION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/events/dp_event.h"
#include "accountant/filters/admission_policy.h"
#include "proto/topicwall.pb.h"
#include "server/ledger/charge_receipt.h"
#include "server/ledger/ledger_requests.h"

namespace topicwall::ledger {

inline constexpr int kMaxPlanIterations = 1000000;

// Everything that is priced of one release of the plan: statistics and norm histogram
// together. INVALID_ARGUMENT for a plan that is incomplete or out of any possible range;
// the tighter limits of a corpus are the server's to check.
absl::StatusOr<accountant::SubsampledGaussian> ReleaseOf(const v1::PlanSpec& plan);

// The same plan as the mechanism needs it. The plan has passed ReleaseOf.
PaidMechanism MechanismOf(const v1::PlanSpec& plan);

// How much of which budget is gone before the plan.
struct Accounts {
  accountant::AdmissionPolicy policy;
  accountant::CostVector spent;          // by everybody
  accountant::CostVector analyst_spent;  // by the plan's analyst
  int64_t releases_reserved;             // of the budget, by everybody
  int64_t own_releases_reserved = 0;     // by the plan's analyst
};

// What is asked, of whose money, out of what: Purse and Accounts of one moment.
struct PlanRequest {
  const v1::PlanSpec& plan;
  const Purse& purse;
  const Accounts& accounts;
};

// What refuses a plan, the first in this order.
enum class Limit { kNone, kCorpusBudget, kAnalystCap, kMaxReleases, kOwnMaxReleases };

// What a refusal is explained from, once the transaction is over.
struct RefusedPlan {
  Accounts accounts;
  Limit by;
};

struct Verdict {
  Limit refused_by;
  // If nothing refuses the plan:
  accountant::PlanCost set_aside;
  accountant::CostVector spent_after;
  accountant::CostVector analyst_spent_after;
  double witness_order;
};

// The decision: integers alone, but for a cap below ε under an inventory, which is one
// composition. INVALID_ARGUMENT for a plan ReleaseOf refuses or a cap that is no number >= 0.
absl::StatusOr<Verdict> JudgePlan(const PlanRequest& request);

// The numbers that are shown beside it, and how many iterations of the plan's kind would
// fit. Under an inventory each of these composes: to be asked without holding a lock.
absl::StatusOr<PlanQuote> QuotePlan(const PlanRequest& request);
absl::StatusOr<int64_t> MostIterations(const PlanRequest& request);

// OK for Limit::kNone; else FAILED_PRECONDITION that says what would fit, for a budget or a
// cap as a proto::BudgetRefusal. Composes as QuotePlan does.
absl::Status RefusalOf(const PlanRequest& request, Limit refused_by);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_PLAN_ADMISSION_H_
