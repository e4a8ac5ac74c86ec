// Whether a plan fits, and the refusal that says what would: one arithmetic for prices and
// reservations.
//
//   const Accounts accounts = AccountsOf(budget, purse.principal);
//   TW_ASSIGN_OR_RETURN(const Verdict verdict, JudgePlan({plan, purse, accounts}));
//   if (verdict.refused_by != Limit::kNone) return RefusalOf({plan, purse, accounts}, …);
//
// The decision is apart from the numbers because an inventory decides by counting, and composes,
// up to some seconds, to say what that is in ε. The one thing about which a decision must know an ε
// there is an analyst's cap: it is weighed beforehand (WeighCap), and what was weighed is compared
// in integers. PUBLIC: a function of plan, configuration and the budget's events. Any thread. Cost
// under a filter: pricing, about 1 ms.
#ifndef TOPICWALL_ACCOUNTANT_LEDGER_PLAN_ADMISSION_H_
#define TOPICWALL_ACCOUNTANT_LEDGER_PLAN_ADMISSION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accountant/events/dp_event.h"
#include "accountant/filters/epsilon_meter.h"
#include "accountant/ledger/budget_state.h"
#include "proto/wall.pb.h"

namespace topicwall::accountant::ledger {

inline constexpr int kMaxPlanIterations = 1000000;
inline constexpr int kMaxUnusedPlans = 64;
inline constexpr int kDefaultMaxOpenPlans = 16;
inline constexpr int kDefaultReservationDays = 7;
inline constexpr int64_t kMsPerDay = int64_t{24} * 60 * 60 * 1000;

// Who pays, out of what, by the configuration. Without a cap the budget's own ε is the cap; without
// a share of the releases all of them are.
struct Purse {
  std::string principal;
  std::optional<double> epsilon_cap;             // over this principal's plans of one budget; > 0
  int64_t max_releases = 0;                      // of the budget, all plans and analysts together
  std::optional<int64_t> own_max_releases = {};  // of those, this principal's
  int max_open_plans = kDefaultMaxOpenPlans;     // of this principal, on this budget
  int reservation_days = kDefaultReservationDays;
};

// How much of which budget is gone before the plan: a value, so that nothing is held while numbers
// are composed.
struct Accounts {
  AdmissionPolicy policy;
  CostVector spent;                   // by everybody
  CostVector analyst_spent;           // by the plan's analyst
  int64_t releases_reserved = 0;      // of the budget, by everybody
  int64_t own_releases_reserved = 0;  // by the plan's analyst
};
Accounts AccountsOf(const BudgetState& budget, const std::string& principal);

// What is asked, of whose money, out of what: all of one moment. Whoever asks several questions
// about it hands them one meter.
struct PlanRequest {
  const v1::ReleaseSpec& plan;
  const Purse& purse;
  const Accounts& accounts;
  std::shared_ptr<EpsilonMeter> meter = std::make_shared<EpsilonMeter>();
};

// What refuses a plan, the first in this order. kCapNotWeighed: nothing yet; whether the analyst's
// cap does must be weighed first.
enum class Limit {
  kNone,
  kCorpusBudget,
  kCapNotWeighed,
  kAnalystCap,
  kMaxReleases,
  kOwnMaxReleases
};

struct Verdict {
  Limit refused_by;
  // If nothing refuses the plan:
  PlanCost set_aside;
  double witness_order;
};

// EventOf (policy_record.h) of a plan that may be asked for. INVALID_ARGUMENT for one that is
// incomplete or out of any possible range; the tighter limits of a corpus are the server's to
// check.
absl::StatusOr<DpEvent> AskedEvent(const v1::ReleaseSpec& plan);

// Whether an analyst who has spent `own_after`, an asked plan included, is within the cap: all that
// this depends on besides cap and policy, neither of which an event changes.
struct WeighedCap {
  CostVector own_after;
  bool holds;
};

// The decision, in integers alone: kCapNotWeighed where it hangs on a cap below ε under an
// inventory and `weighed` is not of what the analyst would have spent. INVALID_ARGUMENT for a plan
// that AskedEvent refuses or a cap that is no number >= 0.
absl::StatusOr<Verdict> JudgeByCounting(const PlanRequest& request,
                                        const std::optional<WeighedCap>& weighed);
// What JudgeByCounting wants: one composition, to be made without holding a lock.
absl::StatusOr<WeighedCap> WeighCap(const PlanRequest& request);
// Both: the decision, for who holds no lock.
absl::StatusOr<Verdict> JudgePlan(const PlanRequest& request);

// The decision, the numbers that are shown beside it, and how many iterations of the plan's kind
// would fit: of the price what follows from the ledger. Nothing else of it is set. Under an
// inventory each of these composes: to be asked without holding a lock.
absl::StatusOr<v1::PlanPrice> QuotePlan(const PlanRequest& request);
absl::StatusOr<int64_t> MostIterations(const PlanRequest& request);

// OK for Limit::kNone; else FAILED_PRECONDITION that says what would fit, for a budget or a cap as
// a proto::BudgetRefusal. Composes as QuotePlan does.
absl::Status RefusalOf(const PlanRequest& request, Limit refused_by);

// What keeps one analyst's plans from filling the ledger, whatever they cost; a function of that
// analyst's own acts alone. At most Purse.max_open_plans plans hold a reservation at once; of those
// reserved within Purse.reservation_days fewer than kMaxUnusedPlans were cancelled before anything
// of them was charged. FAILED_PRECONDITION, naming the limit and what to do.
absl::Status RequireRoomForPlan(const BudgetState& budget, const Purse& purse, int64_t now_ms);

}  // namespace topicwall::accountant::ledger

#endif  // TOPICWALL_ACCOUNTANT_LEDGER_PLAN_ADMISSION_H_
