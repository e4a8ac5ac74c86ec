// Reading and appending rows.
#include "server/store/sqlite/sqlite_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "server/store/sqlite/sqlite_transaction.h"

namespace topicwall::store {
namespace {

OpenCharge OpenChargeOf(const SqliteStatement& row) {
  return {.budget_id = row.Bytes(0),
          .sequence = row.Int64(1),
          .sealed_key = row.Bytes(2),
          .recomputations = row.Int(3),
          .header_sha256 = row.Bytes(4),
          .release_sha256 = row.Bytes(5)};
}

absl::StatusOr<std::optional<PlanRecord>> PlanOf(absl::StatusOr<SqliteStatement> row) {
  TW_RETURN_IF_ERROR(row.status());
  TW_ASSIGN_OR_RETURN(const bool found, row->Step());
  if (!found) return std::nullopt;
  return PlanRecord{
      .plan_id = row->Bytes(0), .principal = row->Bytes(1), .request_id = row->Bytes(2)};
}

absl::Status Moved() {
  return absl::AbortedError("the ledger was changed by another process meanwhile.");
}

constexpr char kOpenCharges[] =
    "SELECT budget_id, sequence, sealed_key, recomputations, header_sha256, release_sha256 "
    "FROM open_charge ";
constexpr char kPlans[] = "SELECT plan_id, principal, request_id FROM plan WHERE ";

}  // namespace

absl::StatusOr<Identity> SqliteStore::IdentityOf(SqliteConnection& connection) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection.Prepare("SELECT ledger_id, epoch, is_backup, key_check FROM ledger"));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return absl::DataLossError("the ledger has lost its identity.");
  return Identity{.ledger_id = row.Bytes(0),
                  .epoch = row.Int64(1),
                  .is_backup = row.Int64(2) != 0,
                  .key_check = row.Bytes(3)};
}

absl::Status SqliteStore::SetIdentity(SqliteConnection& connection, const Identity& identity) {
  return connection.Run("INSERT OR REPLACE INTO ledger VALUES (1, ?, ?, ?, ?)", identity.ledger_id,
                        identity.epoch, int64_t{identity.is_backup}, Blob{identity.key_check});
}

absl::StatusOr<Identity> SqliteStore::ReadIdentity() {
  absl::MutexLock lock(&mutex_);
  return IdentityOf(*connection_);
}

absl::StatusOr<std::vector<Chain>> SqliteStore::Chains() {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(*connection_));
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection_->Prepare("SELECT budget_id, length, head FROM chain ORDER BY place"));
  std::vector<Chain> chains;
  int64_t entries = 0;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) break;
    chains.push_back({.budget_id = row.Bytes(0), .length = row.Int64(1), .head = row.Bytes(2)});
    entries += chains.back().length;
  }
  TW_ASSIGN_OR_RETURN(SqliteStatement count, connection_->Prepare("SELECT COUNT(*) FROM event"));
  TW_ASSIGN_OR_RETURN(const bool counted, count.Step());
  if (counted && count.Int64(0) == entries) return chains;
  return absl::DataLossError("the ledger's events are not those of its budgets.");
}

absl::StatusOr<std::vector<v1::LedgerEntry>> SqliteStore::ReadEntries(absl::string_view budget_id,
                                                                      int64_t first,
                                                                      int64_t limit) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection_->Prepare("SELECT sequence, event, salt, commitment, head FROM event "
                           "WHERE budget_id = ? AND sequence >= ? ORDER BY sequence LIMIT ?",
                           budget_id, first, limit));
  std::vector<v1::LedgerEntry> entries;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return entries;
    v1::LedgerEntry& entry = entries.emplace_back();
    entry.set_sequence(row.Int64(0));
    entry.set_event(row.Bytes(1));
    entry.set_salt(row.Bytes(2));
    entry.set_commitment(row.Bytes(3));
    entry.set_head(row.Bytes(4));
  }
}

absl::StatusOr<std::vector<OpenCharge>> SqliteStore::OpenCharges() {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(SqliteStatement row,
                      connection_->Prepare(absl::StrCat(kOpenCharges, "ORDER BY place")));
  std::vector<OpenCharge> charges;
  for (;;) {
    TW_ASSIGN_OR_RETURN(const bool more, row.Step());
    if (!more) return charges;
    charges.push_back(OpenChargeOf(row));
  }
}

absl::StatusOr<std::optional<OpenCharge>> SqliteStore::RowOf(absl::string_view budget_id,
                                                             int64_t sequence) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection_->Prepare(absl::StrCat(kOpenCharges, "WHERE budget_id = ? AND sequence = ?"),
                           budget_id, sequence));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return std::nullopt;
  return OpenChargeOf(row);
}

absl::StatusOr<std::optional<PlanRecord>> SqliteStore::FindPlan(absl::string_view plan_id) {
  absl::MutexLock lock(&mutex_);
  return PlanOf(connection_->Prepare(absl::StrCat(kPlans, "plan_id = ?"), plan_id));
}

absl::StatusOr<std::optional<PlanRecord>> SqliteStore::FindPlanByRequest(
    absl::string_view principal, absl::string_view request_id) {
  absl::MutexLock lock(&mutex_);
  return PlanOf(connection_->Prepare(absl::StrCat(kPlans, "principal = ? AND request_id = ?"),
                                     principal, Blob{request_id}));
}

absl::StatusOr<std::optional<std::string>> SqliteStore::ReadBlob(absl::string_view sha256,
                                                                 int64_t part) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(SqliteStatement row,
                      connection_->Prepare("SELECT bytes FROM blob WHERE sha256 = ? AND part = ?",
                                           Blob{sha256}, part));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (!found) return std::nullopt;
  return row.Bytes(0);
}

absl::Status SqliteStore::Append(const Change& change) {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(*connection_));
  for (const Change::Growth& growth : change.chains) TW_RETURN_IF_ERROR(Apply(growth));
  for (const Change::Row& row : change.open_charges) TW_RETURN_IF_ERROR(Apply(row));
  if (change.plan.has_value()) {
    const PlanRecord& plan = *change.plan;
    TW_RETURN_IF_ERROR(connection_->Run("INSERT INTO plan VALUES (?, ?, ?)", plan.plan_id,
                                        plan.principal, Blob{plan.request_id}));
  }
  for (const BlobPart& blob : change.blobs) {
    TW_RETURN_IF_ERROR(connection_->Run("INSERT OR IGNORE INTO blob VALUES (?, ?, ?)",
                                        Blob{blob.sha256}, blob.part, Blob{blob.bytes}));
    TOPICWALL_KILL_POINT("inside-store");
  }
  if (change.identity.has_value()) {
    TW_RETURN_IF_ERROR(SetIdentity(*connection_, *change.identity));
  }
  TOPICWALL_KILL_POINT(absl::StrCat("before-", change.name, "-commit").c_str());
  TW_RETURN_IF_ERROR(transaction.Commit());
  TOPICWALL_KILL_POINT(absl::StrCat("after-", change.name, "-commit").c_str());
  return absl::OkStatus();
}

absl::Status SqliteStore::Apply(const Change::Growth& growth) {
  TW_ASSIGN_OR_RETURN(
      SqliteStatement row,
      connection_->Prepare("SELECT length, head FROM chain WHERE budget_id = ?", growth.budget_id));
  TW_ASSIGN_OR_RETURN(const bool known, row.Step());
  const std::string genesis(growth.expected_head.size(), '\0');
  if ((known ? row.Bytes(1) : genesis) != growth.expected_head) return Moved();
  if (!known) {
    TW_RETURN_IF_ERROR(connection_->Run("INSERT INTO chain VALUES (NULL, ?, 0, ?)",
                                        growth.budget_id, Blob{genesis}));
  }
  for (const v1::LedgerEntry& entry : growth.entries) {
    TW_RETURN_IF_ERROR(connection_->Run(
        "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", growth.budget_id, entry.sequence(),
        Blob{entry.event()}, Blob{entry.salt()}, Blob{entry.commitment()}, Blob{entry.head()}));
    TOPICWALL_KILL_POINT("inside-event");
  }
  if (growth.entries.empty()) return absl::OkStatus();
  const v1::LedgerEntry& last = growth.entries.back();
  return connection_->Run("UPDATE chain SET length = ?, head = ? WHERE budget_id = ?",
                          last.sequence(), Blob{last.head()}, growth.budget_id);
}

absl::Status SqliteStore::Apply(const Change::Row& row) {
  const OpenCharge& key = row.before.has_value() ? *row.before : *row.after;
  TW_ASSIGN_OR_RETURN(const auto there, RowOf(key.budget_id, key.sequence));
  if (there != row.before) return Moved();
  if (!row.after.has_value()) {
    return connection_->Run("DELETE FROM open_charge WHERE budget_id = ? AND sequence = ?",
                            key.budget_id, key.sequence);
  }
  const OpenCharge& after = *row.after;
  if (!row.before.has_value()) {
    return connection_->Run("INSERT INTO open_charge VALUES (NULL, ?, ?, ?, ?, ?, ?)",
                            after.budget_id, after.sequence, Blob{after.sealed_key},
                            int64_t{after.recomputations}, Blob{after.header_sha256},
                            Blob{after.release_sha256});
  }
  return connection_->Run(
      "UPDATE open_charge SET sealed_key = ?, recomputations = ?, header_sha256 = ?, "
      "release_sha256 = ? WHERE budget_id = ? AND sequence = ?",
      Blob{after.sealed_key}, int64_t{after.recomputations}, Blob{after.header_sha256},
      Blob{after.release_sha256}, after.budget_id, after.sequence);
}

absl::Status SqliteStore::CheckStructure() {
  absl::MutexLock lock(&mutex_);
  TW_ASSIGN_OR_RETURN(SqliteStatement row, connection_->Prepare("PRAGMA integrity_check(1)"));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  if (found && row.Bytes(0) == "ok") return absl::OkStatus();
  return absl::DataLossError("the ledger's file is damaged in its structure.");
}

}  // namespace topicwall::store
