// The rows of plans; those of their charged iterations are in charge_table.h. Callers hold a
// transaction and the ledger's mutex; every function is one or a few statements. PUBLIC to the
// plan's analyst.
#ifndef TOPICWALL_SERVER_LEDGER_PLAN_TABLE_H_
#define TOPICWALL_SERVER_LEDGER_PLAN_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/filters/admission_policy.h"
#include "proto/ledger.pb.h"
#include "proto/topicwall.pb.h"
#include "server/ledger/charge_table.h"
#include "server/ledger/sqlite_connection.h"

namespace topicwall::ledger {

struct PlanRow {
  std::string plan_id;         // 32 hexadecimal digits
  std::string corpus_version;  // 16 bytes
  std::string principal;
  std::string request_id;       // 16 bytes
  std::string spec;             // a serialized PlanSpec
  accountant::CostVector cost;  // as accountant::PlanCost has it
  int64_t reserved_at_ms;
  v1::PlanState::State state;
  int iterations;           // J
  int reserved_iterations;  // J, less what a cancel gave back
  bool refundable;          // false once a restore took what was left for charged
  bool expired = false;     // cancelled by the wall: see plan_limits.h

  accountant::PlanCost SetAside() const { return {.cost = cost, .iterations = iterations}; }
};

// As two serializations of one plan must be compared and hashed: without choices.
std::string BytesOfPlan(const v1::PlanSpec& plan);

absl::Status InsertPlan(SqliteConnection& connection, const PlanRow& row);
absl::StatusOr<std::optional<PlanRow>> FindPlan(SqliteConnection& connection,
                                                absl::string_view plan_id);
absl::StatusOr<std::optional<PlanRow>> FindPlanByRequest(SqliteConnection& connection,
                                                         absl::string_view principal,
                                                         absl::string_view request_id);
// PERMISSION_DENIED, in the same words for unknown and foreign plans.
absl::StatusOr<PlanRow> FindOwnPlan(SqliteConnection& connection, absl::string_view principal,
                                    absl::string_view plan_id);
// Oldest first; of every principal if `principal` is empty.
absl::StatusOr<std::vector<PlanRow>> PlansOf(SqliteConnection& connection,
                                             absl::string_view principal);

// At most `limit` of a principal's plans, oldest first, on corpora of this name (empty: of any),
// behind the plan `after` (empty: from the oldest). `spec` is without term weights.
struct PlanRange {
  absl::string_view principal;
  absl::string_view corpus;
  absl::string_view after;
  int64_t limit;
};
absl::StatusOr<std::vector<PlanRow>> PlansInRange(SqliteConnection& connection,
                                                  const PlanRange& range);

// Writes the row's spec in its place, term weights apart: all plans with the same share one copy.
absl::Status StoreSpec(SqliteConnection& connection, const PlanRow& row);

// State, reserved_iterations, refundable and expired are what changes about a plan.
absl::Status UpdatePlan(SqliteConnection& connection, const PlanRow& row);

// A plan and a charge of it, found by the server itself and not on anybody's behalf.
struct PlanAndCharge {
  PlanRow plan;
  ChargeRow charge;
};
// FAILED_PRECONDITION unless the iteration is charged.
absl::StatusOr<PlanAndCharge> FindBoth(SqliteConnection& connection, absl::string_view plan_id,
                                       int iteration);

// An event on behalf of the plan's principal, without its act.
v1::LedgerEvent EventOn(const PlanRow& plan, int64_t time_ms);

// DATA_LOSS, the same words for every release that is paid and can be had no more, whatever the
// reason.
absl::Status ReleaseLost();

// The plan as its analyst sees it: what is stored and not yet readable shows as charged.
absl::StatusOr<v1::PlanState> ToPlanState(SqliteConnection& connection, const PlanRow& row);

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_PLAN_TABLE_H_
