// Which budgets of a ledger may concern the same people, and what they promise together.
//
// Whoever is in the corpora of two budgets loses what both allow: (Σ ε, Σ δ), by basic
// composition, which holds for analysts who choose adaptively across budgets. If two budgets have
// different privacy units each promise is for its own unit, and the sum is what holds for whoever
// has one unit in each. Whether people may be in both is DECLARED by the custodian when the later
// one is opened (BudgetOpened.disjoint), and never found by looking: an answer that depends on
// whether units are shared is a bit about one person. Without a declaration they may be.
//
// Callers hold a transaction and the ledger's mutex. PUBLIC: functions of recorded openings.
// Cost: one event a budget.
#ifndef TOPICWALL_SERVER_LEDGER_BUDGET_SUMS_H_
#define TOPICWALL_SERVER_LEDGER_BUDGET_SUMS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/topicwall.pb.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

// a + b, never below the sum of these two numbers. Both finite and >= 0.
double SumRoundedUp(double a, double b);

// The budget and all that may share people with it, in the order in which they were opened. Sums
// are rounded up. NOT_FOUND for an unknown budget.
absl::StatusOr<v1::BudgetSum> SumOf(SqliteConnection& connection, absl::string_view budget_id);

// Appends a BudgetsSummed to the chain of the budget and of every budget that may share people
// with it; none if it stands alone. For every act that makes or changes a promise, in its
// transaction.
absl::Status TellSums(SqliteConnection& connection, absl::string_view budget_id, int64_t now_ms);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_BUDGET_SUMS_H_
