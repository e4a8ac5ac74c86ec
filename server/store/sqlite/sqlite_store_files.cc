// Making, opening and copying the file.
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "server/store/sqlite/sqlite_store.h"
#include "server/store/sqlite/sqlite_transaction.h"

namespace topicwall::store {
namespace {

constexpr int kApplicationId = 0x54574c32;       // "TWL2"
constexpr int kOlderApplicationId = 0x54574c31;  // "TWL1": before the first release
constexpr int kFormatVersion = 1;
constexpr const char* kSuffixes[] = {"", "-wal", "-shm", "-journal"};

// Ids are hexadecimal text; digests, request ids and heads are blobs. Rows of chain and open_charge
// stand in the order in which budgets were opened and iterations were charged.
constexpr char kSchema[] = R"sql(
CREATE TABLE ledger (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  ledger_id TEXT NOT NULL,
  epoch INTEGER NOT NULL CHECK (epoch >= 1),
  is_backup INTEGER NOT NULL CHECK (is_backup IN (0, 1)),
  key_check BLOB NOT NULL
) STRICT;
CREATE TABLE chain (
  place INTEGER PRIMARY KEY,
  budget_id TEXT NOT NULL UNIQUE,
  length INTEGER NOT NULL,
  head BLOB NOT NULL
) STRICT;
CREATE TABLE event (
  budget_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  event BLOB NOT NULL,                    -- a serialized LedgerEvent: the bytes that were hashed
  salt BLOB NOT NULL,
  commitment BLOB NOT NULL,
  head BLOB NOT NULL,
  PRIMARY KEY (budget_id, sequence)
) STRICT;
CREATE TABLE open_charge (
  place INTEGER PRIMARY KEY AUTOINCREMENT,
  budget_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  sealed_key BLOB NOT NULL,               -- empty once the release is stored
  recomputations INTEGER NOT NULL,
  header_sha256 BLOB NOT NULL,            -- empty until the release is stored
  release_sha256 BLOB NOT NULL,
  UNIQUE (budget_id, sequence)
) STRICT;
CREATE TABLE plan (
  plan_id TEXT NOT NULL PRIMARY KEY,
  principal TEXT NOT NULL,
  request_id BLOB NOT NULL,
  UNIQUE (principal, request_id)
) STRICT;
CREATE TABLE blob (
  sha256 BLOB NOT NULL,
  part INTEGER NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (sha256, part)
) STRICT;
)sql";

absl::StatusOr<int> ReadPragma(SqliteConnection& connection, absl::string_view pragma) {
  TW_ASSIGN_OR_RETURN(SqliteStatement row, connection.Prepare(absl::StrCat("PRAGMA ", pragma)));
  TW_ASSIGN_OR_RETURN(const bool found, row.Step());
  return found ? row.Int(0) : 0;
}

absl::Status CheckFormat(SqliteConnection& connection) {
  TW_ASSIGN_OR_RETURN(const int application, ReadPragma(connection, "application_id"));
  if (application == kOlderApplicationId) {
    return absl::FailedPreconditionError(
        "the ledger was written before the first release of this program, which does not read it: "
        "keep it with the program that wrote it; what it promises stays promised.");
  }
  if (application != kApplicationId) return absl::DataLossError("the file is no ledger.");
  TW_ASSIGN_OR_RETURN(const int version, ReadPragma(connection, "user_version"));
  if (version == kFormatVersion) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the ledger has version ", version,
                                          "; this program reads version ", kFormatVersion, "."));
}

absl::Status CopyPages(SqliteConnection& from, SqliteConnection& to) {
  sqlite3_backup* copy = sqlite3_backup_init(to.raw(), "main", from.raw(), "main");
  if (copy == nullptr) return absl::InternalError("cannot start copying the ledger.");
  const int step = sqlite3_backup_step(copy, -1);
  const int finish = sqlite3_backup_finish(copy);
  return step == SQLITE_DONE ? SqliteConnection::StatusOf(finish)
                             : SqliteConnection::StatusOf(step);
}

// All zero if there is nothing.
struct stat StatusOf(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return status;
}

}  // namespace

SqliteStore::SqliteStore(std::optional<DataDirectoryLock> lock, SqliteConnection connection,
                         const std::string& path)
    : lock_(std::move(lock)),
      path_(path),
      opened_(StatusOf(path)),
      connection_(std::move(connection)) {}

absl::Status SqliteStore::RequireInPlace() {
  const struct stat now = StatusOf(path_);
  if (now.st_ino == opened_.st_ino && now.st_dev == opened_.st_dev) return absl::OkStatus();
  return SqliteConnection::GoneFromItsPlace();
}

absl::Status SqliteStore::MakeFile(const std::string& path, const Identity& identity) {
  RemoveFiles(path);
  TW_ASSIGN_OR_RETURN(SqliteConnection connection,
                      SqliteConnection::Open(path, SqliteConnection::Mode::kCreate));
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection));
  TW_RETURN_IF_ERROR(
      connection.RunScript(absl::StrCat(kSchema, "PRAGMA application_id = ", kApplicationId,
                                        "; PRAGMA user_version = ", kFormatVersion, ";")));
  TW_RETURN_IF_ERROR(SetIdentity(connection, identity));
  return transaction.Commit();  // closed, and so one file, on return
}

absl::StatusOr<std::unique_ptr<SqliteStore>> SqliteStore::Open(
    const std::string& path, std::optional<DataDirectoryLock> lock) {
  TW_ASSIGN_OR_RETURN(
      SqliteConnection connection,
      SqliteConnection::Open(path, lock.has_value() ? SqliteConnection::Mode::kReadWrite
                                                    : SqliteConnection::Mode::kReadOnly));
  TW_RETURN_IF_ERROR(CheckFormat(connection));
  return std::unique_ptr<SqliteStore>(
      new SqliteStore(std::move(lock), std::move(connection), path));
}

absl::StatusOr<std::unique_ptr<SqliteStore>> SqliteStore::Copy(const std::string& from,
                                                               const std::string& path) {
  TW_ASSIGN_OR_RETURN(SqliteConnection source,
                      SqliteConnection::Open(from, SqliteConnection::Mode::kReadOnly));
  RemoveFiles(path);
  TW_ASSIGN_OR_RETURN(SqliteConnection copy,
                      SqliteConnection::Open(path, SqliteConnection::Mode::kCreate));
  TW_RETURN_IF_ERROR(CopyPages(source, copy));
  TOPICWALL_KILL_POINT("inside-copy");
  TW_RETURN_IF_ERROR(CheckFormat(copy));
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::nullopt, std::move(copy), path));
}

absl::Status SqliteStore::FinishCopy(bool backup) {
  absl::MutexLock lock(&mutex_);
  const std::string path = sqlite3_db_filename(connection_->raw(), "main");
  TW_RETURN_IF_ERROR(
      connection_->RunScript(absl::StrCat("PRAGMA journal_mode = ", backup ? "DELETE" : "WAL")));
  connection_.reset();  // which moves the last of the write-ahead log into the file
  if (!base::FileExists(path + "-wal")) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot finish ", path, ": look at the disk."));
}

std::optional<std::string> SqliteStore::AnyFileOf(const std::string& path) {
  for (const char* suffix : kSuffixes) {
    if (base::FileExists(path + suffix)) return path + suffix;
  }
  return std::nullopt;
}

void SqliteStore::RemoveFiles(const std::string& path) {
  for (const char* suffix : kSuffixes) unlink((path + suffix).c_str());
}

}  // namespace topicwall::store
