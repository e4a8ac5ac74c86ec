#include "server/ledger/plan_limits.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace topicwall::ledger {
namespace {

constexpr int64_t kMsPerDay = int64_t{24} * 60 * 60 * 1000;

// A principal's plans of one budget, for a WHERE to go on with; ?1 and ?2.
constexpr absl::string_view kCountPlans =
    "SELECT COUNT(*) FROM plan JOIN corpus USING (corpus_version) "
    "WHERE budget_id = ?1 AND principal = ?2 AND ";
constexpr absl::string_view kCharges =
    "(SELECT COUNT(*) FROM charge WHERE charge.plan_id = plan.plan_id)";

absl::StatusOr<int64_t> Count(absl::StatusOr<SqliteStatement> row) {
  if (!row.ok()) return row.status();
  TW_ASSIGN_OR_RETURN(const bool found, row->Step());
  return found ? row->Int64(0) : 0;
}

}  // namespace

absl::Status RequireRoomForPlan(SqliteConnection& connection, absl::string_view budget_id,
                                const Purse& purse, int64_t now_ms) {
  TW_ASSIGN_OR_RETURN(
      const int64_t open,
      Count(connection.Prepare(absl::StrCat(kCountPlans, "state = ?3 AND iterations > ", kCharges),
                               budget_id, purse.principal, int64_t{v1::PlanState::ACTIVE})));
  if (!(open < purse.max_open_plans)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "your plans that still hold a reservation must be fewer than the limit max_open_plans = ",
        purse.max_open_plans, "; they are ", open, ". Run them to their end, or cancel one."));
  }
  const int64_t since_ms = now_ms - purse.reservation_days * kMsPerDay;
  TW_ASSIGN_OR_RETURN(
      const int64_t unused,
      Count(connection.Prepare(
          absl::StrCat(kCountPlans, "state = ?3 AND reserved_at_ms > ?4 AND ", kCharges, " = 0"),
          budget_id, purse.principal, int64_t{v1::PlanState::CANCELLED}, since_ms)));
  if (unused < kMaxUnusedPlans) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("of your plans of the last ", purse.reservation_days,
                   " days (limit reservation_days) fewer "
                   "than ",
                   kMaxUnusedPlans, " may have been cancelled unused; they are ", unused,
                   ". Use those you have, or wait."));
}

absl::StatusOr<std::vector<PlanRow>> ExpiredPlans(SqliteConnection& connection,
                                                  absl::string_view corpus_version,
                                                  int reservation_days, int64_t now_ms) {
  std::vector<std::string> ids;
  {
    TW_ASSIGN_OR_RETURN(
        SqliteStatement row,
        connection.Prepare(absl::StrCat("SELECT plan_id FROM plan WHERE corpus_version = ? AND "
                                        "state = ? AND reserved_at_ms <= ? AND ",
                                        kCharges, " = 0 ORDER BY rowid"),
                           Blob{corpus_version}, int64_t{v1::PlanState::ACTIVE},
                           now_ms - reservation_days * kMsPerDay));
    for (;;) {
      TW_ASSIGN_OR_RETURN(const bool more, row.Step());
      if (!more) break;
      ids.push_back(row.Bytes(0));
    }
  }
  std::vector<PlanRow> plans;
  for (const std::string& id : ids) {
    TW_ASSIGN_OR_RETURN(std::optional<PlanRow> plan, FindPlan(connection, id));
    if (plan.has_value()) plans.push_back(*std::move(plan));
  }
  return plans;
}

}  // namespace topicwall::ledger
