#include "server/ledger/charge_table.h"

#include <sqlite3.h>

#include <utility>

#include "base/status_macros.h"

namespace topicwall::ledger {
namespace {

constexpr absl::string_view kChargeColumns =
    "SELECT charge_id, plan_id, iteration, request_digest, charged_at_ms, state, recomputations, "
    "sealed_release_key, header_sha256, release_sha256, readable_at_ms, intervals_waited, "
    "release_interval_ms, kernel_name, free_processors, restarted_at_ms, void_ground "
    "FROM charge ";

ChargeRow ChargeOfRow(const SqliteStatement& row) {
  return ChargeRow{.charge_id = row.Int64(0),
                   .plan_id = row.Bytes(1),
                   .iteration = row.Int(2),
                   .request_digest = row.Bytes(3),
                   .charged_at_ms = row.Int64(4),
                   .state = static_cast<ChargeState>(row.Int(5)),
                   .recomputations = row.Int(6),
                   .sealed_release_key = row.Bytes(7),
                   .header_sha256 = row.Bytes(8),
                   .release_sha256 = row.Bytes(9),
                   .readable_at_ms = row.Int64(10),
                   .intervals_waited = row.Int(11),
                   .release_interval_ms = row.Int64(12),
                   .kernel_name = row.Bytes(13),
                   .free_processors = row.Int(14),
                   .restarted_at_ms = row.Int64(15),
                   .void_ground = row.Int(16)};
}

absl::StatusOr<std::vector<ChargeRow>> EveryCharge(absl::StatusOr<SqliteStatement> row) {
  if (!row.ok()) return row.status();
  std::vector<ChargeRow> charges;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row->Step());
    if (!more) return charges;
    charges.push_back(ChargeOfRow(*row));
  }
}

}  // namespace

int64_t IntervalOf(const v1::IterationCharged& act) {
  return act.has_release_interval_ms() ? act.release_interval_ms() : -1;
}

absl::StatusOr<int64_t> InsertCharge(SqliteConnection& connection, const ChargeRow& row) {
  TW_RETURN_IF_ERROR(connection.Run(
      "INSERT INTO charge (plan_id, iteration, request_digest, charged_at_ms, state, "
      "recomputations, sealed_release_key, readable_at_ms, intervals_waited, "
      "release_interval_ms, kernel_name, free_processors) "
      "VALUES (?, ?, ?, ?, ?5, ?, CASE WHEN ?5 = 1 THEN ?7 END, 0, 0, ?8, ?9, ?10)",
      row.plan_id, row.iteration, Blob{row.request_digest}, row.charged_at_ms,
      static_cast<int64_t>(row.state), row.recomputations, Blob{row.sealed_release_key},
      row.release_interval_ms, row.kernel_name, row.free_processors));
  return int64_t{sqlite3_last_insert_rowid(connection.raw())};
}

absl::StatusOr<std::optional<ChargeRow>> FindCharge(SqliteConnection& connection,
                                                    absl::string_view plan_id, int iteration) {
  TW_ASSIGN_OR_RETURN(std::vector<ChargeRow> charges,
                      EveryCharge(connection.Prepare(
                          absl::StrCat(kChargeColumns, "WHERE plan_id = ? AND iteration = ?"),
                          plan_id, iteration)));
  if (charges.empty()) return std::nullopt;
  return std::move(charges.front());
}

absl::StatusOr<std::vector<ChargeRow>> ChargesOf(SqliteConnection& connection,
                                                 absl::string_view plan_id) {
  return EveryCharge(connection.Prepare(
      absl::StrCat(kChargeColumns, "WHERE plan_id = ? ORDER BY iteration"), plan_id));
}

absl::StatusOr<std::vector<ChargeRow>> ChargesInState(SqliteConnection& connection,
                                                      ChargeState state) {
  return EveryCharge(
      connection.Prepare(absl::StrCat(kChargeColumns, "WHERE state = ? ORDER BY charge_id"),
                         static_cast<int64_t>(state)));
}

absl::Status UpdateCharge(SqliteConnection& connection, const ChargeRow& row) {
  return connection.Run(
      "UPDATE charge SET state = ?1, recomputations = ?2, "
      "sealed_release_key = CASE WHEN ?1 = 1 THEN ?3 END, header_sha256 = ?4, "
      "release_sha256 = ?5, readable_at_ms = ?6, intervals_waited = ?7, restarted_at_ms = ?8, "
      "void_ground = ?9 WHERE charge_id = ?10",
      static_cast<int64_t>(row.state), row.recomputations, Blob{row.sealed_release_key},
      Blob{row.header_sha256}, Blob{row.release_sha256}, row.readable_at_ms, row.intervals_waited,
      row.restarted_at_ms, row.void_ground, row.charge_id);
}

}  // namespace topicwall::ledger
