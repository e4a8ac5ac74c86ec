#include "server/store/sqlite/sqlite_store.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "server/store/store_rows.h"

namespace topicwall::store {
namespace {

using Mode = SqliteConnection::Mode;

// "TWL3". "TWL1" and "TWL2" are from before the first release.
constexpr int64_t kFormatId = 0x54574c33;
constexpr int64_t kFormatVersion = 1;

// Ids are hexadecimal text; digests, request ids and heads are blobs. An event's bytes are those
// that were hashed. A sealed key is empty once its release is stored, the digests are before.
constexpr char kSchema[] = R"sql(
CREATE TABLE ledger (one INTEGER PRIMARY KEY CHECK (one = 1), ledger_id TEXT NOT NULL,
  epoch INTEGER NOT NULL CHECK (epoch >= 1), is_backup INTEGER NOT NULL CHECK (is_backup IN (0, 1)),
  key_check BLOB NOT NULL) STRICT;
CREATE TABLE event (place INTEGER PRIMARY KEY AUTOINCREMENT,
  budget_id TEXT NOT NULL, sequence INTEGER NOT NULL, event BLOB NOT NULL, salt BLOB NOT NULL,
  commitment BLOB NOT NULL, head BLOB NOT NULL, UNIQUE (budget_id, sequence)) STRICT;
CREATE TABLE open_charge (place INTEGER PRIMARY KEY,
  budget_id TEXT NOT NULL, sequence INTEGER NOT NULL, sealed_key BLOB NOT NULL,
  header_sha256 BLOB NOT NULL, release_sha256 BLOB NOT NULL,
  UNIQUE (budget_id, sequence)) STRICT;
CREATE TABLE plan (plan_id TEXT NOT NULL PRIMARY KEY, principal TEXT NOT NULL,
  request_id BLOB NOT NULL, UNIQUE (principal, request_id)) STRICT;
CREATE TABLE blob (sha256 BLOB NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY (sha256, part)) STRICT;
PRAGMA application_id = 0x54574c33;
PRAGMA user_version = 1;
)sql";

constexpr char kWithALog[] = "PRAGMA journal_mode = WAL";
constexpr char kOpenCharges[] =
    "SELECT budget_id, sequence, sealed_key, header_sha256, release_sha256, "
    "'' AS owner FROM open_charge ";

absl::Status CheckFormat(SqliteConnection& connection) {
  const auto said =
      +[](const SqliteStatement& row) { return std::pair(row.Int64(0), row.Int64(1)); };
  TW_ASSIGN_OR_RETURN(const auto format,
                      connection.First(said,
                                       "SELECT application_id, user_version "
                                       "FROM pragma_application_id, pragma_user_version"));
  const auto [id, version] = format.value_or(std::pair(int64_t{0}, int64_t{0}));
  if (id == kFormatId && version == kFormatVersion) return absl::OkStatus();
  if (id == kFormatId - 2 || id == kFormatId - 1) {
    return absl::FailedPreconditionError(
        "the ledger was written before the first release of this program, which does not read it: "
        "keep it with the program that wrote it; what it promises stays promised.");
  }
  // Not damaged: an older copy that took its place would have lost what was charged since.
  if (id == kFormatId && version > kFormatVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("the ledger's file is of format ", version,
                     ", written by a newer version; this program "
                     "reads ",
                     kFormatVersion, ": use the program that wrote it, and restore nothing."));
  }
  return absl::DataLossError(absl::StrCat("the file is no ledger of the format ",
                                          absl::Hex(kFormatId), " version ", kFormatVersion, "."));
}

absl::Status Moved() {
  return absl::AbortedError("the ledger was changed by another process meanwhile.");
}

absl::Status Apply(SqliteConnection& connection, const Change::Growth& growth) {
  TW_ASSIGN_OR_RETURN(
      const auto head,
      connection.First(BytesOf<SqliteStatement>,
                       "SELECT head FROM event WHERE budget_id = ? ORDER BY sequence DESC LIMIT 1",
                       growth.budget_id));
  // The head of a chain without events (proto/ledger_chain.h).
  const std::string genesis(growth.expected_head.size(), '\0');
  if (head.value_or(genesis) != growth.expected_head) return Moved();
  for (const v1::LedgerEntry& entry : growth.entries) {
    TW_RETURN_IF_ERROR(connection.Run(
        "INSERT INTO event VALUES (NULL, ?, ?, ?, ?, ?, ?)", growth.budget_id, entry.sequence(),
        Blob{entry.event()}, Blob{entry.salt()}, Blob{entry.commitment()}, Blob{entry.head()}));
    TOPICWALL_KILL_POINT("inside-event");
  }
  return absl::OkStatus();
}

absl::Status RequireChains(SqliteConnection& connection, std::optional<int64_t> expected) {
  if (!expected.has_value()) return absl::OkStatus();
  const auto count = +[](const SqliteStatement& row) { return row.Int64(0); };
  TW_ASSIGN_OR_RETURN(const auto there,
                      connection.First(count, "SELECT COUNT(DISTINCT budget_id) FROM event"));
  return there == expected ? absl::OkStatus() : Moved();
}

absl::Status Apply(SqliteConnection& connection, const Change::Row& row) {
  if (row.after.has_value() && !row.after->owner.empty()) {
    return absl::InvalidArgumentError("charges in a file have no owner: they are one server's.");
  }
  const OpenCharge& key = row.before.has_value() ? *row.before : *row.after;
  TW_ASSIGN_OR_RETURN(
      const auto there,
      connection.First(OpenChargeOf<SqliteStatement>,
                       absl::StrCat(kOpenCharges, "WHERE budget_id = ? AND sequence = ?"),
                       key.budget_id, key.sequence));
  if (there != row.before) return Moved();
  if (!row.after.has_value()) {
    return connection.Run("DELETE FROM open_charge WHERE budget_id = ? AND sequence = ?",
                          key.budget_id, key.sequence);
  }
  const OpenCharge& after = *row.after;
  // An update, not a new row: its place is the order of charges (OpenCharges).
  return connection.Run(
      "INSERT INTO open_charge VALUES (NULL, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
      "sealed_key = excluded.sealed_key, "
      "header_sha256 = excluded.header_sha256, release_sha256 = excluded.release_sha256",
      after.budget_id, after.sequence, Blob{after.sealed_key}, Blob{after.header_sha256},
      Blob{after.release_sha256});
}

// A base before the connection's, so that it is let go of after that is closed.
struct WritersLock {
  std::optional<DataDirectoryLock> held;  // none if read-only, or a copy
};

class SqliteStore final : private WritersLock,
                          public RowStore<SqliteConnection, SqliteStatement, Blob> {
 public:
  SqliteStore(std::optional<DataDirectoryLock> lock, SqliteConnection connection)
      : WritersLock{std::move(lock)}, RowStore(std::move(connection)) {}

  // Waits for no writing, so not for mutex_, under which the file() is not.
  absl::Status RequireInPlace() override { return connection_.file().Require(); }

  bool OthersWrite() const override { return !held.has_value(); }

  absl::StatusOr<std::vector<Chain>> Chains() override {
    absl::MutexLock lock(&mutex_);
    TW_RETURN_IF_ERROR(RequireInPlace());
    // Whoever folds notices an event that is missing in between, or is another. That there were
    // more only this count can tell: it grows in the transaction of the event, and never shrinks.
    TW_ASSIGN_OR_RETURN(
        const auto counted,
        connection_.First(BytesOf<SqliteStatement>,
                          "SELECT TOTAL(seq) = (SELECT COUNT(*) FROM event) FROM sqlite_sequence "
                          "WHERE name = 'event'"));
    if (counted != "1") return absl::DataLossError("the ledger has lost events.");
    return connection_.Collect(
        ChainOf<SqliteStatement>,
        "SELECT budget_id, length, "
        "(SELECT head FROM event WHERE budget_id = chain.budget_id AND sequence = length) "
        "FROM (SELECT budget_id, MAX(sequence) AS length, MIN(place) AS opened FROM event "
        "GROUP BY budget_id) AS chain ORDER BY opened");
  }

  absl::StatusOr<std::vector<OpenCharge>> OpenCharges() override {
    absl::MutexLock lock(&mutex_);
    return connection_.Collect(OpenChargeOf<SqliteStatement>,
                               absl::StrCat(kOpenCharges, "ORDER BY place"));
  }

  absl::Status Append(const Change& change) override {
    absl::MutexLock lock(&mutex_);
    TW_RETURN_IF_ERROR(connection_.Write([&]() -> absl::Status {
      TW_RETURN_IF_ERROR(RequireChains(connection_, change.num_chains));
      for (const Change::Growth& growth : change.chains) {
        TW_RETURN_IF_ERROR(Apply(connection_, growth));
      }
      for (const Change::Row& row : change.open_charges) {
        TW_RETURN_IF_ERROR(Apply(connection_, row));
      }
      if (change.plan.has_value()) {
        const PlanRecord& plan = *change.plan;
        TW_RETURN_IF_ERROR(connection_.Run("INSERT INTO plan VALUES (?, ?, ?)", plan.plan_id,
                                           plan.principal, Blob{plan.request_id}));
      }
      for (const BlobPart& blob : change.blobs) {
        // Blobs are named by their digest: what is there under it already is the same.
        TW_RETURN_IF_ERROR(connection_.Run("INSERT OR IGNORE INTO blob VALUES (?, ?, ?)",
                                           Blob{blob.sha256}, blob.part, Blob{blob.bytes}));
        TOPICWALL_KILL_POINT("inside-store");
      }
      if (change.identity.has_value()) {
        const Identity& identity = *change.identity;
        TW_RETURN_IF_ERROR(connection_.Run("INSERT OR REPLACE INTO ledger VALUES (1, ?, ?, ?, ?)",
                                           identity.ledger_id, identity.epoch, identity.is_backup,
                                           Blob{identity.key_check}));
      }
      TOPICWALL_KILL_POINT(absl::StrCat("before-", change.name, "-commit").c_str());
      return absl::OkStatus();
    }));
    TOPICWALL_KILL_POINT(absl::StrCat("after-", change.name, "-commit").c_str());
    return absl::OkStatus();
  }

  absl::Status CheckStructure() override {
    absl::MutexLock lock(&mutex_);
    TW_ASSIGN_OR_RETURN(const auto found,
                        connection_.First(BytesOf<SqliteStatement>, "PRAGMA integrity_check(1)"));
    if (found == "ok") return absl::OkStatus();
    return absl::DataLossError("the ledger's file is damaged in its structure.");
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<EventStore>> MakeSqliteStore(const std::string& path,
                                                            const Identity& identity) {
  TW_RETURN_IF_ERROR(MakeEmpty(path));
  TW_ASSIGN_OR_RETURN(SqliteConnection connection, SqliteConnection::Open(path, Mode::kReadWrite));
  TW_RETURN_IF_ERROR(connection.Write([&] { return connection.RunScript(kSchema); }));
  auto store = std::make_unique<SqliteStore>(std::nullopt, std::move(connection));
  TW_RETURN_IF_ERROR(store->Append({.name = "create", .identity = identity}));
  return store;
}

absl::StatusOr<std::unique_ptr<EventStore>> OpenSqliteStore(const std::string& path,
                                                            std::optional<DataDirectoryLock> lock) {
  TW_ASSIGN_OR_RETURN(
      SqliteConnection connection,
      SqliteConnection::Open(path, lock.has_value() ? Mode::kReadWrite : Mode::kReadOnly));
  TW_RETURN_IF_ERROR(CheckFormat(connection));
  // From now on readers work beside the writer; a file that only one program knows needs no log.
  if (lock.has_value()) TW_RETURN_IF_ERROR(connection.RunScript(kWithALog));
  return std::make_unique<SqliteStore>(std::move(lock), std::move(connection));
}

absl::StatusOr<std::unique_ptr<EventStore>> CopySqliteStore(const std::string& from,
                                                            const std::string& path) {
  TW_ASSIGN_OR_RETURN(SqliteConnection source, SqliteConnection::Open(from, Mode::kReadOnly));
  TW_RETURN_IF_ERROR(CheckFormat(source));
  TW_RETURN_IF_ERROR(MakeEmpty(path));
  TW_RETURN_IF_ERROR(source.Run("VACUUM INTO ?", path));  // durable, and one file
  TOPICWALL_KILL_POINT("inside-copy");
  TW_ASSIGN_OR_RETURN(SqliteConnection copy, SqliteConnection::Open(path, Mode::kReadWrite));
  return std::make_unique<SqliteStore>(std::nullopt, std::move(copy));
}

absl::Status LetReadersIn(const std::string& path) {
  TW_ASSIGN_OR_RETURN(SqliteConnection copy, SqliteConnection::Open(path, Mode::kReadWrite));
  return copy.RunScript(kWithALog);
}

}  // namespace topicwall::store
