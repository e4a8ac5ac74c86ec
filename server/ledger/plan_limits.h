// What keeps one analyst's plans from filling the ledger, whatever they cost: limits on plans of
// which nothing was charged yet. Public, and functions of that analyst's own acts alone.
//
//   open       at most Purse.max_open_plans plans hold a reservation at once, per budget;
//   cancelled  at most kMaxUnusedPlans plans reserved within Purse.reservation_days were cancelled
//              before anything of them was charged, per budget;
//   expired    a plan of which nothing was charged for that long is cancelled by the wall.
//
// Plans of which something was charged are bounded by the budget and its max_releases. Callers
// hold a transaction and the ledger's mutex. Cost: look-ups in one analyst's plans.
#ifndef TOPICWALL_SERVER_LEDGER_PLAN_LIMITS_H_
#define TOPICWALL_SERVER_LEDGER_PLAN_LIMITS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/ledger/ledger_requests.h"
#include "server/ledger/plan_table.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

inline constexpr int kMaxUnusedPlans = 64;

// FAILED_PRECONDITION, naming the limit and what to do, if the purse's principal may not reserve
// another plan of this budget now.
absl::Status RequireRoomForPlan(SqliteConnection& connection, absl::string_view budget_id,
                                const Purse& purse, int64_t now_ms);

// The active plans on this corpus of which nothing was charged within `reservation_days` of their
// reservation, oldest first.
absl::StatusOr<std::vector<PlanRow>> ExpiredPlans(SqliteConnection& connection,
                                                  absl::string_view corpus_version,
                                                  int reservation_days, int64_t now_ms);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_PLAN_LIMITS_H_
