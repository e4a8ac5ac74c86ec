// Both directions work on a copy under a name that nobody opens, and give it its place at the end:
//   1. one moment of the source is copied, folded and checked;
//   2. the copy is marked as a backup (no release keys), or frozen in a new epoch;
//   3. it is made durable and renamed.
// A crash before 3 leaves the source and an unfinished copy. At no time does the data directory
// hold, under its name, a ledger that is older than its releases and not frozen.
#include "server/ledger/ledger_backup.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "accountant/ledger/custodian_acts.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/ledger/folded/kept_rows.h"
#include "server/ledger/folded/ledger_identity.h"
#include "server/ledger/folded/seen_heads.h"
#include "server/ledger/ledger_copy.h"
#include "server/store/ledger_files.h"
#include "server/store/stores.h"

namespace topicwall::ledger {
namespace {

// Verified.
struct UnfinishedCopy {
  store::StoreCopy copy;
  store::Identity identity;
  LedgerSeals seals;
  accountant::ledger::LedgerState state;

  store::EventStore& store() { return copy.store(); }
};

// Checked as a copy, not as the source: what was read is what will be kept.
absl::StatusOr<UnfinishedCopy> CopyOf(absl::string_view from, absl::string_view to,
                                      const LedgerKeys& keys) {
  TW_ASSIGN_OR_RETURN(store::StoreCopy copy, store::StoreCopy::Make(from, to));
  TW_ASSIGN_OR_RETURN(store::Identity identity, copy.store().ReadIdentity());
  TW_ASSIGN_OR_RETURN(LedgerSeals seals, LedgerSeals::Of(keys.seals, identity.ledger_id));
  KeptState state;
  TW_RETURN_IF_ERROR(state.TakeFrom(copy.store(), &seals));
  TW_RETURN_IF_ERROR(CheckRows(copy.store(), state));
  return UnfinishedCopy{std::move(copy), std::move(identity), std::move(seals),
                        std::move(state.ledger)};
}

// The machine's clock may have been set back since the last event; the chain's times never go back.
absl::Status Freeze(UnfinishedCopy& copy, const LedgerKeys& keys, int64_t now_ms) {
  for (const accountant::ledger::BudgetState& budget : copy.state.budgets()) {
    now_ms = std::max(now_ms, budget.last_time_ms());
  }
  store::Change change{.name = "freeze"};
  change.identity = copy.identity;
  change.identity->is_backup = false;
  ++change.identity->epoch;
  TW_ASSIGN_OR_RETURN(change.identity->key_check, SealKeyCheck(keys.sealing, *change.identity));
  TW_RETURN_IF_ERROR(AddEvents(
      copy.state,
      Decide(copy.state,
             accountant::ledger::RestoreAct{.epoch = change.identity->epoch, .now_ms = now_ms}),
      copy.seals, &change));
  return copy.store().Append(change);
}

absl::Status RequireIdentity(absl::string_view directory, const store::Identity& identity) {
  if (!store::HasIdentityFile(directory)) return absl::OkStatus();
  TW_ASSIGN_OR_RETURN(const std::string there, store::ReadIdentityFile(directory));
  if (there == identity.ledger_id) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(store::IdentityPath(directory), " belongs to another ledger than the backup."));
}

}  // namespace

absl::Status BackupLedger(absl::string_view data_directory, absl::string_view backup_directory,
                          const LedgerKeys& keys) {
  TW_RETURN_IF_ERROR(store::CheckFilesPresent(data_directory));
  TW_RETURN_IF_ERROR(store::RequireNoStore(backup_directory));
  TW_ASSIGN_OR_RETURN(UnfinishedCopy copy, CopyOf(data_directory, backup_directory, keys));
  // PutInPlace keeps a ledger.id that is there: beside another ledger's no backup would ever open.
  TW_RETURN_IF_ERROR(RequireIdentity(backup_directory, copy.identity));
  TW_RETURN_IF_ERROR(MakeUnusable(copy.store()));
  return std::move(copy.copy).PutInPlace();
}

absl::Status BackupShared(const std::string& data_directory, store::EventStore& ledger,
                          absl::string_view backup_directory, const LedgerKeys& keys) {
  TW_ASSIGN_OR_RETURN(const std::vector<store::Chain> seen, SeenOfShared(data_directory, ledger));
  TW_RETURN_IF_ERROR(store::RequireNoStore(backup_directory));
  TW_ASSIGN_OR_RETURN(const store::Identity identity, ledger.ReadIdentity());
  TW_RETURN_IF_ERROR(RequireIdentity(backup_directory, identity));
  TW_ASSIGN_OR_RETURN(store::StoreCopy copy,
                      store::StoreCopy::Create(backup_directory, Unusable(identity)));
  TW_RETURN_IF_ERROR(CopyLedger(ledger, copy.store(), keys, seen));
  TW_RETURN_IF_ERROR(MakeUnusable(copy.store()));
  return std::move(copy).PutInPlace();
}

absl::Status InstallBackup(absl::string_view backup_directory, const store::DataDirectoryLock& lock,
                           const LedgerKeys& keys, int64_t now_ms) {
  if (!base::FileExists(store::DatabasePath(backup_directory)) ||
      !base::FileExists(store::IdentityPath(backup_directory))) {
    return absl::NotFoundError(
        absl::StrCat("there is no backup in ", backup_directory, ": ledger.db and ledger.id."));
  }
  TW_RETURN_IF_ERROR(store::RequireNoStore(lock.directory()));
  TW_ASSIGN_OR_RETURN(UnfinishedCopy copy, CopyOf(backup_directory, lock.directory(), keys));
  // A plain copy of the file still has its release keys, and nobody has said that it is old.
  if (!copy.identity.is_backup) {
    return absl::FailedPreconditionError(
        absl::StrCat(backup_directory,
                     " holds a ledger that is in use, or a plain copy; only what topicwall-admin "
                     "backup made can be restored."));
  }
  TW_RETURN_IF_ERROR(CheckKey(copy.identity, keys.sealing));
  // A ledger.id that stayed behind says which ledger was lost here; only its own backup continues
  // it.
  TW_RETURN_IF_ERROR(RequireIdentity(lock.directory(), copy.identity));
  TW_RETURN_IF_ERROR(Freeze(copy, keys, now_ms));
  return std::move(copy.copy).PutInUse();
}

}  // namespace topicwall::ledger
