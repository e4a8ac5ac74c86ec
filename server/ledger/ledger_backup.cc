#include "server/ledger/ledger_backup.h"

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/budget_table.h"
#include "server/ledger/kill_point.h"
#include "server/ledger/ledger_schema.h"
#include "server/ledger/ledger_upgrade.h"
#include "server/ledger/ledger_verification.h"
#include "server/ledger/sqlite_connection.h"
#include "server/ledger/sqlite_transaction.h"

namespace topicwall::ledger {
namespace {

constexpr const char* kSqliteSuffixes[] = {"", "-wal", "-shm", "-journal"};

// A write-ahead log left beside a new database would be replayed into it.
absl::Status RequireNoDatabase(absl::string_view directory) {
  for (const char* suffix : kSqliteSuffixes) {
    const std::string path = DatabasePath(directory) + suffix;
    if (base::FileExists(path)) {
      return absl::AlreadyExistsError(absl::StrCat(path, " exists: move it away first."));
    }
  }
  return absl::OkStatus();
}

void RemoveDatabase(const std::string& path) {
  for (const char* suffix : kSqliteSuffixes) unlink((path + suffix).c_str());
}

absl::Status CopyPages(SqliteConnection& from, SqliteConnection& to) {
  sqlite3_backup* copy = sqlite3_backup_init(to.raw(), "main", from.raw(), "main");
  if (copy == nullptr) return absl::InternalError("cannot start copying the ledger.");
  const int step = sqlite3_backup_step(copy, -1);
  const int finish = sqlite3_backup_finish(copy);
  if (step == SQLITE_DONE && finish == SQLITE_OK) return absl::OkStatus();
  const int code = step == SQLITE_DONE ? finish : step;
  const std::string text =
      absl::StrCat("copying the ledger failed (SQLite ", code, ": ", sqlite3_errstr(code), ").");
  const bool damaged = (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
  return damaged ? absl::DataLossError(text) : absl::UnavailableError(text);
}

absl::StatusOr<LedgerIdentity> VerifyCopy(SqliteConnection& copy, absl::string_view from) {
  TW_ASSIGN_OR_RETURN(ReadTransaction moment, ReadTransaction::Begin(copy));
  TW_ASSIGN_OR_RETURN(LedgerIdentity identity, ReadIdentity(copy));
  TW_ASSIGN_OR_RETURN(const std::string expected, ReadIdentityFile(from));
  if (identity.ledger_id != expected) return absl::DataLossError("ledger.id names another ledger.");
  TW_RETURN_IF_ERROR(VerifyBudgets(copy));
  return identity;
}

absl::Status MarkAsBackup(SqliteConnection& copy) {
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(copy));
  TW_RETURN_IF_ERROR(copy.Run("UPDATE ledger SET is_backup = 1"));
  // State 4 is kLost: what was being computed cannot be computed again from a backup.
  TW_RETURN_IF_ERROR(
      copy.Run("UPDATE charge SET state = 4, sealed_release_key = NULL WHERE state = 1"));
  return transaction.Commit();
}

absl::Status FreezeBudget(SqliteConnection& copy, const BudgetRow& budget, int64_t epoch,
                          int64_t now_ms) {
  v1::LedgerEvent event;
  event.set_time_ms(now_ms);
  event.mutable_budget_restored()->set_epoch(epoch);
  TW_RETURN_IF_ERROR(AppendEvent(copy, budget.budget_id, std::move(event)));
  return SetRestoredAt(copy, budget.budget_id, budget.events + 1);
}

absl::Status Freeze(SqliteConnection& copy, const LedgerIdentity& identity, int64_t now_ms) {
  const int64_t epoch = identity.epoch + 1;
  TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(copy));
  TW_RETURN_IF_ERROR(copy.Run("UPDATE ledger SET is_backup = 0, epoch = ?", epoch));
  TW_ASSIGN_OR_RETURN(const std::vector<BudgetRow> budgets, AllBudgets(copy));
  for (const BudgetRow& budget : budgets) {
    TW_RETURN_IF_ERROR(FreezeBudget(copy, budget, epoch, now_ms));
  }
  TW_RETURN_IF_ERROR(copy.Run("UPDATE plan SET refundable = 0"));
  TW_RETURN_IF_ERROR(copy.Run("UPDATE plan SET state = ? WHERE state = ?",
                              int64_t{v1::PlanState::PAUSED}, int64_t{v1::PlanState::ACTIVE}));
  return transaction.Commit();
}

struct RemoveDatabaseFiles {
  void operator()(std::string* path) const {
    RemoveDatabase(*path);
    delete path;
  }
};

// A verified copy under a name nobody opens, ready to be renamed once it is finished; what
// still has that name in the end is removed.
struct UnfinishedCopy {
  std::unique_ptr<std::string, RemoveDatabaseFiles> path;
  SqliteConnection connection;
  LedgerIdentity identity;
};

absl::StatusOr<UnfinishedCopy> CopyLedger(absl::string_view from, absl::string_view to) {
  TW_ASSIGN_OR_RETURN(
      SqliteConnection source,
      SqliteConnection::Open(DatabasePath(from), SqliteConnection::Mode::kReadOnly));
  std::unique_ptr<std::string, RemoveDatabaseFiles> path(
      new std::string(DatabasePath(to) + ".new"));
  RemoveDatabase(*path);
  TW_ASSIGN_OR_RETURN(SqliteConnection copy,
                      SqliteConnection::Open(*path, SqliteConnection::Mode::kCreate));
  TW_RETURN_IF_ERROR(CopyPages(source, copy));
  TOPICWALL_KILL_POINT("inside-copy");
  TW_RETURN_IF_ERROR(UpgradeTables(copy));
  TW_ASSIGN_OR_RETURN(LedgerIdentity identity, VerifyCopy(copy, from));
  return UnfinishedCopy{std::move(path), std::move(copy), std::move(identity)};
}

// Identity first: if the machine stops in between, the database is missing and the same
// command can be given again.
absl::Status PutInPlace(UnfinishedCopy copy, absl::string_view directory) {
  // Closing moves the last of the write-ahead log into the file that is renamed.
  { const SqliteConnection closed = std::move(copy.connection); }
  if (base::FileExists(*copy.path + "-wal")) {
    return absl::UnavailableError(
        absl::StrCat("cannot finish ", *copy.path, ": look at the disk."));
  }
  if (!base::FileExists(IdentityPath(directory))) {
    TW_RETURN_IF_ERROR(WriteIdentityFile(directory, copy.identity.ledger_id));
  }
  TOPICWALL_KILL_POINT("before-copy-rename");
  if (!base::RenameDurably(*copy.path, DatabasePath(directory), base::IfExists::kReplace).ok()) {
    return absl::UnavailableError(
        absl::StrCat("cannot rename ", *copy.path, ": look at the disk."));
  }
  TOPICWALL_KILL_POINT("after-copy-rename");
  return absl::OkStatus();
}

absl::Status RequireIdentity(absl::string_view directory, const LedgerIdentity& identity) {
  if (!base::FileExists(IdentityPath(directory))) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const std::string there, ReadIdentityFile(directory));
  if (there == identity.ledger_id) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(IdentityPath(directory), " belongs to another ledger than the backup."));
}

}  // namespace

absl::Status BackupLedger(absl::string_view data_directory, absl::string_view backup_directory) {
  TW_RETURN_IF_ERROR(CheckFilesPresent(data_directory));
  TW_RETURN_IF_ERROR(RequireNoDatabase(backup_directory));
  TW_ASSIGN_OR_RETURN(UnfinishedCopy copy, CopyLedger(data_directory, backup_directory));
  TW_RETURN_IF_ERROR(RequireIdentity(backup_directory, copy.identity));
  TW_RETURN_IF_ERROR(MarkAsBackup(copy.connection));
  // One file, readable from where nothing can be written.
  TW_RETURN_IF_ERROR(copy.connection.RunScript("PRAGMA journal_mode = DELETE"));
  return PutInPlace(std::move(copy), backup_directory);
}

absl::Status InstallBackup(absl::string_view backup_directory, const DataDirectoryLock& lock,
                           int64_t now_ms) {
  if (!base::FileExists(DatabasePath(backup_directory)) ||
      !base::FileExists(IdentityPath(backup_directory))) {
    return absl::NotFoundError(
        absl::StrCat("there is no backup in ", backup_directory, ": ledger.db and ledger.id."));
  }
  TW_RETURN_IF_ERROR(RequireNoDatabase(lock.directory()));
  TW_ASSIGN_OR_RETURN(UnfinishedCopy copy, CopyLedger(backup_directory, lock.directory()));
  if (!copy.identity.is_backup) {
    return absl::FailedPreconditionError(
        absl::StrCat(backup_directory,
                     " holds a ledger that is in use, or a plain copy; only what topicwall-admin "
                     "backup made can be restored."));
  }
  TW_RETURN_IF_ERROR(RequireIdentity(lock.directory(), copy.identity));
  TW_RETURN_IF_ERROR(Freeze(copy.connection, copy.identity, now_ms));
  TW_RETURN_IF_ERROR(copy.connection.RunScript("PRAGMA journal_mode = WAL"));
  return PutInPlace(std::move(copy), lock.directory());
}

}  // namespace topicwall::ledger
