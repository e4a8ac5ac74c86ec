#include "server/store/postgresql/postgres_append.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::store {
namespace {

absl::Status Moved() {
  return absl::AbortedError("the ledger was changed by another server meanwhile.");
}

// Of a statement that must have changed one row, which is nobody else's until the end.
absl::Status RequireOne(const absl::StatusOr<int64_t>& changed) {
  TW_RETURN_IF_ERROR(changed.status());
  return *changed == 1 ? absl::OkStatus() : Moved();
}

// What an Append runs. All that it points to is the change's.
using Statements = std::vector<PostgresStatement>;

template <typename... Arguments>
PostgresStatement Statement(std::string sql, const Arguments&... arguments) {
  return {.sql = std::move(sql), .parameters = {PostgresParameter(arguments)...}};
}

void Add(const Change::Growth& growth, Statements* statements) {
  const int64_t more = static_cast<int64_t>(growth.entries.size());
  const Bytea expected{growth.expected_head};
  // A chain that only must stand where it is (RequireAllChains) is moved to where it is, and so is
  // locked like one that grows.
  const Bytea head{more == 0 ? growth.expected_head : growth.entries.back().head()};
  if (growth.expected_head == std::string(growth.expected_head.size(), '\0')) {
    statements->push_back(
        Statement("INSERT INTO chain (budget_id, length, head) VALUES ($1, $2, $3)",
                  growth.budget_id, more, head));
  } else {
    statements->push_back(Statement(
        "UPDATE chain SET length = length + $1, head = $2 WHERE budget_id = $3 AND head = $4", more,
        head, growth.budget_id, expected));
  }
  // Where the chain was not moved nothing is written, so that it is no error in the database's log
  // that others were first.
  for (const v1::LedgerEntry& entry : growth.entries) {
    statements->push_back(
        Statement("INSERT INTO event SELECT $1, $2, $3, $4, $5, $6 "
                  "WHERE EXISTS (SELECT 1 FROM chain WHERE budget_id = $1 AND head = $7)",
                  growth.budget_id, entry.sequence(), Bytea{entry.event()}, Bytea{entry.salt()},
                  Bytea{entry.commitment()}, Bytea{entry.head()}, head));
  }
}

// The whole row, not its key: what the act was decided on is in all of its fields.
constexpr char kIsRow[] =
    " WHERE budget_id = $1 AND sequence = $2 AND sealed_key = $3 AND header_sha256 = $4 AND "
    "release_sha256 = $5 AND owner = $6";

template <typename... More>
PostgresStatement On(const OpenCharge& row, std::string sql, const More&... more) {
  return Statement(std::move(sql), row.budget_id, row.sequence, Bytea{row.sealed_key},
                   Bytea{row.header_sha256}, Bytea{row.release_sha256}, row.owner, more...);
}

PostgresStatement StatementOf(const Change::Row& row) {
  if (!row.before.has_value()) {
    return On(*row.after,
              "INSERT INTO open_charge (budget_id, sequence, sealed_key, header_sha256, "
              "release_sha256, owner) VALUES ($1, $2, $3, $4, $5, $6)");
  }
  if (!row.after.has_value()) {
    return On(*row.before, absl::StrCat("DELETE FROM open_charge", kIsRow));
  }
  return On(*row.before,
            absl::StrCat("UPDATE open_charge SET sealed_key = $7, header_sha256 = $8, "
                         "release_sha256 = $9, owner = $10",
                         kIsRow),
            Bytea{row.after->sealed_key}, Bytea{row.after->header_sha256},
            Bytea{row.after->release_sha256}, row.after->owner);
}

// Whoever opens a chain holds the ledger's one row until the end, so that none is opened meanwhile.
absl::Status RequireChains(PostgresConnection& connection, std::optional<int64_t> expected) {
  if (!expected.has_value()) return absl::OkStatus();
  // Not the chains' rows: those of a chain that is only being opened cannot be seen, nor locked.
  TW_RETURN_IF_ERROR(RequireOne(connection.Run("SELECT 1 FROM ledger FOR UPDATE")));
  TW_ASSIGN_OR_RETURN(const int64_t there, connection.Run("SELECT 1 FROM chain"));
  return there == expected ? absl::OkStatus() : Moved();
}

// A request that another server has reserved meanwhile violates UNIQUE and so is ABORTED: decided
// again, the act finds that plan.
PostgresStatement StatementOf(const PlanRecord& plan) {
  return Statement("INSERT INTO plan VALUES ($1, $2, $3)", plan.plan_id, plan.principal,
                   Bytea{plan.request_id});
}

PostgresStatement StatementOf(const BlobPart& blob) {
  PostgresStatement statement =
      Statement("INSERT INTO blob VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", Bytea{blob.sha256},
                blob.part, Bytea{blob.bytes});
  statement.changes_one_row = false;  // it may be there
  return statement;
}

PostgresStatement StatementOf(const Identity& identity) {
  return Statement(
      "INSERT INTO ledger VALUES (1, $1, $2, $3, $4, $5) ON CONFLICT (one) DO UPDATE SET "
      "format = $1, ledger_id = $2, epoch = $3, is_backup = $4, key_check = $5",
      kPostgresFormat, identity.ledger_id, identity.epoch, int64_t{identity.is_backup},
      Bytea{identity.key_check});
}

// A head is no other's: the last event's tells of the whole act.
absl::StatusOr<bool> IsWritten(PostgresConnection& connection, const Change::Growth& growth) {
  // FOR UPDATE waits until the lost session has let go of the row. The second question is a
  // statement of its own, since one sees only what was committed before it began.
  TW_RETURN_IF_ERROR(
      connection.Run("SELECT 1 FROM chain WHERE budget_id = $1 FOR UPDATE", growth.budget_id)
          .status());
  TW_ASSIGN_OR_RETURN(const int64_t there,
                      connection.Run("SELECT 1 FROM event WHERE budget_id = $1 AND head = $2",
                                     growth.budget_id, Bytea{growth.entries.back().head()}));
  return there == 1;
}

absl::StatusOr<bool> IsWritten(PostgresConnection& connection, const Change::Row& row) {
  // As above: first waited for, then looked at.
  const OpenCharge& key = row.before.has_value() ? *row.before : *row.after;
  TW_ASSIGN_OR_RETURN(
      const int64_t there,
      connection.Run("SELECT 1 FROM open_charge WHERE budget_id = $1 AND sequence = $2 FOR UPDATE",
                     key.budget_id, key.sequence));
  if (!row.after.has_value()) return there == 0;
  const OpenCharge& after = *row.after;
  TW_ASSIGN_OR_RETURN(
      const int64_t same,
      connection.Run(absl::StrCat("SELECT 1 FROM open_charge", kIsRow).c_str(), after.budget_id,
                     after.sequence, Bytea{after.sealed_key}, Bytea{after.header_sha256},
                     Bytea{after.release_sha256}, after.owner));
  return same == 1;
}

}  // namespace

absl::Status WriteChange(PostgresConnection& connection, const Change& change) {
  TW_RETURN_IF_ERROR(RequireChains(connection, change.num_chains));
  Statements statements;
  // The long ones first, which lock nothing that another server waits for: one that stands still
  // while it sends them would hold its locks for as long, and no timeout of the database's ends
  // that.
  for (const BlobPart& blob : change.blobs) statements.push_back(StatementOf(blob));
  for (const Change::Growth& growth : change.chains) Add(growth, &statements);
  for (const Change::Row& row : change.open_charges) statements.push_back(StatementOf(row));
  if (change.plan.has_value()) statements.push_back(StatementOf(*change.plan));
  if (change.identity.has_value()) statements.push_back(StatementOf(*change.identity));
  return connection.RunTogether(statements);
}

absl::StatusOr<bool> IsWritten(PostgresConnection& connection, const Change& change) {
  // One event is enough: the change was one transaction.
  for (const Change::Growth& growth : change.chains) {
    if (!growth.entries.empty()) return IsWritten(connection, growth);
  }
  for (const Change::Row& row : change.open_charges) {
    TW_ASSIGN_OR_RETURN(const bool written, IsWritten(connection, row));
    if (!written) return false;
  }
  return !change.open_charges.empty();
}

}  // namespace topicwall::store
