#include "server/ledger/plan_table.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "server/ledger/spent_vector.h"

namespace topicwall::ledger {
namespace {

constexpr absl::string_view kPlanColumns =
    "SELECT plan_id, corpus_version, principal, request_id, spec, cost, reserved_at_ms, state, "
    "iterations, reserved_iterations, refundable, expired, weights FROM plan "
    "LEFT JOIN term_weights ON sha256 = weights_sha256 ";
// A plan's spec as it is stored: together they are the whole, to the byte.
struct SpecParts {
  std::string spec;
  std::string weights;  // empty: `spec` is whole
};

SpecParts Split(const std::string& whole) {
  v1::PlanSpec spec;
  if (!spec.ParseFromString(whole) || spec.term_weights().empty()) return {whole, ""};
  const std::string bytes = BytesOfPlan(spec);
  std::string weights = std::move(*spec.mutable_term_weights());
  spec.clear_term_weights();
  // Written by another serializer: what was hashed must come back.
  if (bytes != whole) return {whole, ""};
  return {BytesOfPlan(spec), std::move(weights)};
}

absl::StatusOr<std::string> Join(SpecParts parts) {
  if (parts.weights.empty()) return std::move(parts.spec);
  v1::PlanSpec spec;
  if (!spec.ParseFromString(parts.spec)) {
    return absl::DataLossError("the ledger holds an unreadable plan.");
  }
  spec.set_term_weights(std::move(parts.weights));
  return BytesOfPlan(spec);
}

absl::StatusOr<PlanRow> PlanOfRow(const SqliteStatement& row) {
  const std::string cost = row.Bytes(5);
  PlanRow plan{.plan_id = row.Bytes(0),
               .corpus_version = row.Bytes(1),
               .principal = row.Bytes(2),
               .request_id = row.Bytes(3),
               .spec = "",
               .cost = {},
               .reserved_at_ms = row.Int64(6),
               .state = static_cast<v1::PlanState::State>(row.Int(7)),
               .iterations = row.Int(8),
               .reserved_iterations = row.Int(9),
               .refundable = row.Int(10) != 0,
               .expired = row.Int(11) != 0};
  TW_ASSIGN_OR_RETURN(plan.spec, Join({.spec = row.Bytes(4), .weights = row.Bytes(12)}));
  TW_ASSIGN_OR_RETURN(plan.cost, CostOfBytes(cost, cost.size() / 8));
  return plan;
}

absl::StatusOr<std::optional<PlanRow>> FirstPlan(absl::StatusOr<SqliteStatement> row) {
  if (!row.ok()) return row.status();
  TW_ASSIGN_OR_RETURN(const bool found, row->Step());
  if (!found) return std::nullopt;
  TW_ASSIGN_OR_RETURN(PlanRow plan, PlanOfRow(*row));
  return plan;
}

absl::StatusOr<std::vector<PlanRow>> EveryPlan(absl::StatusOr<SqliteStatement> row) {
  if (!row.ok()) return row.status();
  std::vector<PlanRow> plans;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row->Step());
    if (!more) return plans;
    TW_ASSIGN_OR_RETURN(PlanRow plan, PlanOfRow(*row));
    plans.push_back(std::move(plan));
  }
}

}  // namespace

std::string BytesOfPlan(const v1::PlanSpec& plan) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream output(&stream);
    output.SetSerializationDeterministic(true);
    plan.SerializeToCodedStream(&output);
  }
  return bytes;
}

absl::Status InsertPlan(SqliteConnection& connection, const PlanRow& row) {
  TW_RETURN_IF_ERROR(connection.Run(
      "INSERT INTO plan VALUES (?, ?, ?, ?, x'', ?, ?, ?, ?, ?, ?, NULL, ?)", row.plan_id,
      Blob{row.corpus_version}, row.principal, Blob{row.request_id}, Blob{BytesOfCost(row.cost)},
      row.reserved_at_ms, int64_t{row.state}, row.iterations, row.reserved_iterations,
      int64_t{row.refundable}, int64_t{row.expired}));
  return StoreSpec(connection, row);
}

absl::Status StoreSpec(SqliteConnection& connection, const PlanRow& row) {
  const SpecParts parts = Split(row.spec);
  if (parts.weights.empty()) {
    return connection.Run("UPDATE plan SET spec = ? WHERE plan_id = ?", Blob{parts.spec},
                          row.plan_id);
  }
  const std::string sha256 = base::DigestBytes(base::Sha256Of(parts.weights));
  TW_RETURN_IF_ERROR(
      connection.Run("INSERT INTO term_weights VALUES (?, ?) ON CONFLICT (sha256) DO NOTHING",
                     Blob{sha256}, Blob{parts.weights}));
  return connection.Run("UPDATE plan SET spec = ?, weights_sha256 = ? WHERE plan_id = ?",
                        Blob{parts.spec}, Blob{sha256}, row.plan_id);
}

absl::StatusOr<std::optional<PlanRow>> FindPlan(SqliteConnection& connection,
                                                absl::string_view plan_id) {
  return FirstPlan(connection.Prepare(absl::StrCat(kPlanColumns, "WHERE plan_id = ?"), plan_id));
}

absl::StatusOr<std::optional<PlanRow>> FindPlanByRequest(SqliteConnection& connection,
                                                         absl::string_view principal,
                                                         absl::string_view request_id) {
  return FirstPlan(
      connection.Prepare(absl::StrCat(kPlanColumns, "WHERE principal = ? AND request_id = ?"),
                         principal, Blob{request_id}));
}

absl::StatusOr<PlanRow> FindOwnPlan(SqliteConnection& connection, absl::string_view principal,
                                    absl::string_view plan_id) {
  TW_ASSIGN_OR_RETURN(std::optional<PlanRow> plan, FindPlan(connection, plan_id));
  if (!plan.has_value() || plan->principal != principal) {
    return absl::PermissionDeniedError("plan_id must name a plan of yours; no such plan.");
  }
  return *std::move(plan);
}

absl::StatusOr<std::vector<PlanRow>> PlansOf(SqliteConnection& connection,
                                             absl::string_view principal) {
  return EveryPlan(connection.Prepare(
      absl::StrCat(kPlanColumns, "WHERE ?1 IN ('', principal) ORDER BY plan.rowid"), principal));
}

absl::StatusOr<std::vector<PlanRow>> PlansInRange(SqliteConnection& connection,
                                                  const PlanRange& range) {
  return EveryPlan(connection.Prepare(
      "SELECT plan_id, corpus_version, principal, request_id, spec, cost, reserved_at_ms, state, "
      "iterations, reserved_iterations, refundable, expired, NULL "
      "FROM plan JOIN corpus USING (corpus_version) "
      "WHERE principal = ?1 AND ?2 IN ('', corpus) AND "
      "plan.rowid > IFNULL((SELECT rowid FROM plan WHERE plan_id = ?3), 0) "
      "ORDER BY plan.rowid LIMIT ?4",
      range.principal, range.corpus, range.after, range.limit));
}

absl::Status UpdatePlan(SqliteConnection& connection, const PlanRow& row) {
  return connection.Run(
      "UPDATE plan SET state = ?, reserved_iterations = ?, refundable = ?, expired = ? "
      "WHERE plan_id = ?",
      int64_t{row.state}, row.reserved_iterations, int64_t{row.refundable}, int64_t{row.expired},
      row.plan_id);
}

absl::StatusOr<PlanAndCharge> FindBoth(SqliteConnection& connection, absl::string_view plan_id,
                                       int iteration) {
  TW_ASSIGN_OR_RETURN(std::optional<PlanRow> plan, FindPlan(connection, plan_id));
  TW_ASSIGN_OR_RETURN(std::optional<ChargeRow> charge, FindCharge(connection, plan_id, iteration));
  if (!plan.has_value() || !charge.has_value()) {
    return absl::FailedPreconditionError("the iteration must be charged.");
  }
  return PlanAndCharge{*std::move(plan), *std::move(charge)};
}

v1::LedgerEvent EventOn(const PlanRow& plan, int64_t time_ms) {
  v1::LedgerEvent event;
  event.set_time_ms(time_ms);
  event.set_principal(plan.principal);
  return event;
}

absl::Status ReleaseLost() {
  return absl::DataLossError(
      "the release is void: it could not be completed, and it will not be computed again. It stays "
      "paid; sending the request again would not help. Ask the custodian.");
}

absl::StatusOr<v1::PlanState> ToPlanState(SqliteConnection& connection, const PlanRow& row) {
  v1::PlanState plan;
  plan.set_plan_id(row.plan_id);
  if (!plan.mutable_plan()->ParseFromString(row.spec)) {
    return absl::DataLossError("the ledger holds an unreadable plan.");
  }
  plan.set_principal(row.principal);
  plan.set_state(row.state);
  plan.set_reserved_at_ms(row.reserved_at_ms);
  plan.set_expired(row.expired);
  TW_ASSIGN_OR_RETURN(const std::vector<ChargeRow> charges, ChargesOf(connection, row.plan_id));
  for (const ChargeRow& charge : charges) {
    v1::IterationState* iteration = plan.add_iterations();
    iteration->set_iteration(charge.iteration);
    iteration->set_charged_at_ms(charge.charged_at_ms);
    iteration->set_request_digest(charge.request_digest);
    iteration->set_voided(charge.state == ChargeState::kVoided ||
                          charge.state == ChargeState::kLost);
    if (charge.state != ChargeState::kPublished) continue;
    iteration->set_readable(true);
    iteration->set_readable_at_ms(charge.readable_at_ms);
    iteration->set_release_sha256(charge.release_sha256);
  }
  return plan;
}

}  // namespace topicwall::ledger
