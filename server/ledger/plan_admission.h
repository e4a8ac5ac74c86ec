// Whether a plan fits, and the numbers shown either way: one arithmetic for Price, Reserve
// and the reference plan of GetBudget.
//
//   TW_ASSIGN_OR_RETURN(Verdict verdict, JudgePlan(plan, purse, accounts));
//   if (verdict.refusal.has_value()) ...       // budget or cap
//
// PUBLIC: a function of plan, configuration and what was spent. Pure, any thread. Cost:
// pricing, about 1 ms.
#ifndef TOPICWALL_SERVER_LEDGER_PLAN_ADMISSION_H_
#define TOPICWALL_SERVER_LEDGER_PLAN_ADMISSION_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/budget_filter.h"
#include "accountant/dp_event.h"
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
  accountant::BudgetFilter filter;
  accountant::CostVector spent;          // by everybody
  accountant::CostVector analyst_spent;  // by the plan's analyst
  int64_t releases_reserved;             // of the corpus, by everybody
};

struct Verdict {
  PlanQuote quote;
  accountant::CostVector cost;  // of one release
  // Set if the budget or the analyst's cap does not admit the plan; says which.
  std::optional<v1::PrivacyBudgetExhausted> refusal;
  int64_t releases_left;  // of the corpus; fewer than J refuse as well
  // If the plan is admitted:
  accountant::CostVector spent_after;
  accountant::CostVector analyst_spent_after;
  double witness_order;
};

// INVALID_ARGUMENT for a plan ReleaseOf refuses or a cap that is no number >= 0.
absl::StatusOr<Verdict> JudgePlan(const v1::PlanSpec& plan, const Purse& purse,
                                  const Accounts& accounts);

// FAILED_PRECONDITION that carries `detail` as its payload.
absl::Status BudgetExhausted(const v1::PrivacyBudgetExhausted& detail);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_PLAN_ADMISSION_H_
