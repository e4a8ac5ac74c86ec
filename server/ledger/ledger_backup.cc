#include "server/ledger/ledger_backup.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/custodian_acts.h"
#include "base/durable_file.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_store.h"

namespace topicwall::ledger {
namespace {

constexpr const char* kSqliteSuffixes[] = {"", "-wal", "-shm", "-journal"};

// A write-ahead log left beside a new database would be replayed into it.
absl::Status RequireNoDatabase(absl::string_view directory) {
  for (const char* suffix : kSqliteSuffixes) {
    const std::string path = store::DatabasePath(directory) + suffix;
    if (base::FileExists(path)) {
      return absl::AlreadyExistsError(absl::StrCat(path, " exists: move it away first."));
    }
  }
  return absl::OkStatus();
}

void RemoveDatabase(const std::string& path) {
  for (const char* suffix : kSqliteSuffixes) unlink((path + suffix).c_str());
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
  std::unique_ptr<store::SqliteStore> store;
  store::Identity identity;
  accountant::ledger::LedgerState state;
};

absl::StatusOr<UnfinishedCopy> CopyLedger(absl::string_view from, absl::string_view to) {
  std::unique_ptr<std::string, RemoveDatabaseFiles> path(
      new std::string(store::DatabasePath(to) + ".new"));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<store::SqliteStore> copy,
                      store::SqliteStore::Copy(from, *path));
  TW_ASSIGN_OR_RETURN(store::Identity identity, copy->ReadIdentity());
  accountant::ledger::LedgerState state;
  TW_RETURN_IF_ERROR(FoldChains(*copy, &state));
  TW_RETURN_IF_ERROR(CheckRows(*copy, state));
  return UnfinishedCopy{std::move(path), std::move(copy), std::move(identity), std::move(state)};
}

// What was being computed cannot be computed again from a backup: it holds no release key.
absl::Status MarkAsBackup(UnfinishedCopy& copy) {
  store::Change change{.name = "mark"};
  change.identity = copy.identity;
  change.identity->is_backup = true;
  TW_ASSIGN_OR_RETURN(const std::vector<store::OpenCharge> rows, copy.store->OpenCharges());
  for (const store::OpenCharge& row : rows) {
    if (row.release_sha256.empty()) {
      change.open_charges.push_back({.before = row, .after = std::nullopt});
    }
  }
  return copy.store->Append(change);
}

absl::Status Freeze(UnfinishedCopy& copy, int64_t now_ms) {
  store::Change change{.name = "freeze"};
  change.identity = copy.identity;
  change.identity->is_backup = false;
  ++change.identity->epoch;
  TW_RETURN_IF_ERROR(AddEvents(
      copy.state,
      Decide(copy.state,
             accountant::ledger::RestoreAct{.epoch = change.identity->epoch, .now_ms = now_ms}),
      &change));
  return copy.store->Append(change);
}

// Identity first: if the machine stops in between, the database is missing and the same
// command can be given again.
absl::Status PutInPlace(UnfinishedCopy copy, bool backup, absl::string_view directory) {
  TW_RETURN_IF_ERROR(copy.store->FinishCopy(backup));
  if (!store::HasIdentityFile(directory)) {
    TW_RETURN_IF_ERROR(store::WriteIdentityFile(directory, copy.identity.ledger_id));
  }
  TOPICWALL_KILL_POINT("before-copy-rename");
  if (!base::RenameDurably(*copy.path, store::DatabasePath(directory), base::IfExists::kReplace)
           .ok()) {
    return absl::UnavailableError(
        absl::StrCat("cannot rename ", *copy.path, ": look at the disk."));
  }
  TOPICWALL_KILL_POINT("after-copy-rename");
  return absl::OkStatus();
}

absl::Status RequireIdentity(absl::string_view directory, const store::Identity& identity) {
  if (!store::HasIdentityFile(directory)) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const std::string there, store::ReadIdentityFile(directory));
  if (there == identity.ledger_id) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(store::IdentityPath(directory), " belongs to another ledger than the backup."));
}

}  // namespace

absl::Status BackupLedger(absl::string_view data_directory, absl::string_view backup_directory) {
  TW_RETURN_IF_ERROR(store::CheckFilesPresent(data_directory));
  TW_RETURN_IF_ERROR(RequireNoDatabase(backup_directory));
  TW_ASSIGN_OR_RETURN(UnfinishedCopy copy, CopyLedger(data_directory, backup_directory));
  TW_RETURN_IF_ERROR(RequireIdentity(backup_directory, copy.identity));
  TW_RETURN_IF_ERROR(MarkAsBackup(copy));
  return PutInPlace(std::move(copy), /*backup=*/true, backup_directory);
}

absl::Status InstallBackup(absl::string_view backup_directory, const store::DataDirectoryLock& lock,
                           int64_t now_ms) {
  if (!base::FileExists(store::DatabasePath(backup_directory)) ||
      !base::FileExists(store::IdentityPath(backup_directory))) {
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
  TW_RETURN_IF_ERROR(Freeze(copy, now_ms));
  return PutInPlace(std::move(copy), /*backup=*/false, lock.directory());
}

}  // namespace topicwall::ledger
