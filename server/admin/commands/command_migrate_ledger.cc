#include "server/admin/commands/command_migrate_ledger.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "server/admin/custody.h"
#include "server/admin/opened_mark.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/ledger/folded/seen_heads.h"
#include "server/ledger/ledger_copy.h"
#include "server/store/ledger_files.h"
#include "server/store/stores.h"

namespace topicwall::admin {
namespace {

using Chains = std::vector<store::Chain>;

Chains InOrder(Chains chains) {
  std::sort(chains.begin(), chains.end(),
            [](const store::Chain& a, const store::Chain& b) { return a.budget_id < b.budget_id; });
  return chains;
}

// What an earlier attempt left that was stopped: a file that is marked, and the copy that it was
// marked for, or the ledger that this has become. Of any other one that is marked it is a backup.
absl::Status RequireCopyOf(const store::Identity& identity, const Chains& chains,
                           const ledger::LedgerKeys& keys, store::RemoteStore& database) {
  const absl::Status is_backup = absl::FailedPreconditionError("a backup is to be restored first.");
  const absl::StatusOr<store::Identity> copy = database.ReadIdentity();
  if (absl::IsNotFound(copy.status())) return is_backup;
  TW_RETURN_IF_ERROR(copy.status());
  if (copy->ledger_id != identity.ledger_id || copy->epoch != identity.epoch) return is_backup;
  TW_ASSIGN_OR_RETURN(const Chains copied, database.Chains());
  if (copy->is_backup) return InOrder(copied) == InOrder(chains) ? absl::OkStatus() : is_backup;
  TW_ASSIGN_OR_RETURN(const ledger::LedgerSeals seals,
                      ledger::LedgerSeals::Of(keys.seals, identity.ledger_id));
  const absl::Status goes_on = ledger::KeptState().TakeFrom(database, &seals, chains);
  return absl::IsDataLoss(goes_on) ? is_backup : goes_on;
}

// As a backup until the file is one: of two ledgers with one budget each could be spent.
absl::Status CopyToDatabase(store::EventStore& from, const store::Identity& identity,
                            const ledger::LedgerKeys& keys, store::RemoteStore& database) {
  const absl::Status created = database.Create(ledger::Unusable(identity));
  if (absl::IsAlreadyExists(created)) {
    const absl::StatusOr<store::Identity> there = database.ReadIdentity();
    if (there.ok() && there->is_backup && there->ledger_id == identity.ledger_id) {
      return absl::AlreadyExistsError(
          "the database has a copy of this ledger that was not finished: DROP SCHEMA topicwall "
          "CASCADE there, and give the same command again. The ledger is in ledger.db.");
    }
  }
  TW_RETURN_IF_ERROR(created);
  return ledger::CopyLedger(from, database, keys);
}

// By whatever name it is put back, no server opens it.
absl::Status MarkAndClose(std::unique_ptr<store::EventStore> from, bool is_marked,
                          const std::string& path) {
  if (!is_marked) TW_RETURN_IF_ERROR(ledger::MakeUnusable(*from));
  from.reset();
  // Closed it is one file, unless somebody reads: then the mark may be in the log alone, and the
  // file by itself a ledger in use.
  if (!base::FileExists(path + "-wal")) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("somebody reads ", path,
                   " (a backup, a status?): end that and give the same command again."));
}

absl::StatusOr<Chains> ToDatabase(store::DataDirectoryLock lock, const ledger::LedgerKeys& keys,
                                  store::RemoteStore& database) {
  const std::string directory = lock.directory();
  const std::string path = store::DatabasePath(directory);
  const std::string moved = store::MovedPath(directory);
  if (base::FileExists(moved)) {
    return absl::AlreadyExistsError(
        absl::StrCat(moved, " exists, from an earlier migration: move it away first."));
  }
  TW_ASSIGN_OR_RETURN(std::unique_ptr<store::EventStore> from, store::OpenStore(std::move(lock)));
  TW_ASSIGN_OR_RETURN(const store::Identity identity, from->ReadIdentity());
  TW_ASSIGN_OR_RETURN(const Chains chains, from->Chains());
  TW_RETURN_IF_ERROR(identity.is_backup ? RequireCopyOf(identity, chains, keys, database)
                                        : CopyToDatabase(*from, identity, keys, database));
  TW_RETURN_IF_ERROR(MarkOpened(directory));
  TW_RETURN_IF_ERROR(MarkAndClose(std::move(from), identity.is_backup, path));
  TW_RETURN_IF_ERROR(base::RenameDurably(path, moved, base::IfExists::kRefuse));
  TW_ASSIGN_OR_RETURN(const store::Identity copy, database.ReadIdentity());
  if (copy.is_backup) TW_RETURN_IF_ERROR(ledger::MakeUsable(database));
  return database.Chains();
}

// The chains in the database's own order, by which Retire compares them. ABORTED if they are not
// those of the copy: what was charged behind it would come home unspent.
absl::StatusOr<Chains> CopyHome(store::RemoteStore& database, const ledger::LedgerKeys& keys,
                                const Chains& seen, store::EventStore& to) {
  TW_RETURN_IF_ERROR(ledger::CopyLedger(database, to, keys, seen));
  TW_ASSIGN_OR_RETURN(const Chains copied, to.Chains());
  TW_ASSIGN_OR_RETURN(const Chains there, database.Chains());
  if (InOrder(copied) != InOrder(there)) {
    return absl::AbortedError(
        "the ledger moved while it was copied, and stays in the database: stop all its servers.");
  }
  return there;
}

absl::Status WithWhatWasPutAway(const absl::Status& status) {
  return absl::Status(
      status.code(),
      absl::StrCat(status.message(),
                   " Where a migration to a file was stopped at its end: ALTER SCHEMA "
                   "topicwall_moved_… RENAME TO topicwall, and give the same command again."));
}

absl::Status PutInUse(store::StoreCopy copy) {
  TW_RETURN_IF_ERROR(ledger::MakeUsable(copy.store()));
  return std::move(copy).PutInUse();
}

// Until the database's is put away the copy has a name that nobody opens.
absl::StatusOr<Chains> ToFile(const store::DataDirectoryLock& lock, const ledger::LedgerKeys& keys,
                              store::RemoteStore& database) {
  const std::string& directory = lock.directory();
  // What a server of this folder would not spend from does not come home either.
  const absl::StatusOr<Chains> seen = ledger::SeenOfShared(directory, database);
  if (absl::IsNotFound(seen.status())) return WithWhatWasPutAway(seen.status());
  TW_RETURN_IF_ERROR(seen.status());
  TW_ASSIGN_OR_RETURN(const store::Identity identity, database.ReadIdentity());
  TW_ASSIGN_OR_RETURN(store::StoreCopy copy,
                      store::StoreCopy::Create(directory, ledger::Unusable(identity)));
  TW_ASSIGN_OR_RETURN(const Chains chains, CopyHome(database, keys, *seen, copy.store()));
  TW_RETURN_IF_ERROR(MarkOpened(directory));
  TW_RETURN_IF_ERROR(database.Retire(chains));
  const absl::Status in_use = PutInUse(std::move(copy));
  if (!in_use.ok()) return WithWhatWasPutAway(in_use);
  return chains;
}

}  // namespace

absl::StatusOr<Outcome> MigrateLedger(const MigrateLedgerFlags& flags) {
  TW_ASSIGN_OR_RETURN(const Custody custody, OpenCustody(flags.config));
  if (!custody.config.has_ledger()) {
    return absl::FailedPreconditionError(
        "ledger { postgresql { … } } must be configured, in both directions: it names the "
        "database.");
  }
  TW_ASSIGN_OR_RETURN(store::DataDirectoryLock lock, Lock(custody.config));
  TW_ASSIGN_OR_RETURN(const auto database, SharedStore(custody.config));
  TW_ASSIGN_OR_RETURN(const ledger::LedgerKeys keys, ledger::LedgerKeys::Of(custody.key));
  TW_ASSIGN_OR_RETURN(const Chains chains, flags.to_database
                                               ? ToDatabase(std::move(lock), keys, *database)
                                               : ToFile(lock, keys, *database));
  Outcome outcome;
  outcome.text =
      absl::StrCat("The ledger is ", flags.to_database ? "in the database" : "in ledger.db",
                   ", verified; its chains have the heads that they had:\n");
  std::vector<std::string> heads;
  for (const store::Chain& chain : chains) {
    heads.push_back(base::Hex(chain.head));
    absl::StrAppend(&outcome.text, "  budget ", chain.budget_id, ", ", chain.length, " events, ",
                    heads.back(), "\n");
  }
  absl::StrAppend(&outcome.text,
                  flags.to_database
                      ? "ledger.db.moved is what it was, marked as a backup: no server opens it. "
                        "Keep or destroy it. A server elsewhere needs ledger.id, the key and the "
                        "corpora.\n"
                      : "Take ledger out of the configuration before the server is started.\n");
  outcome.json.SetString("to", flags.to_database ? "postgresql" : "file")
      .SetStrings("heads", heads);
  return outcome;
}

}  // namespace topicwall::admin
