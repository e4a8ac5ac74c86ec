#include "server/store/stores.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/kill_point.h"
#include "base/status_macros.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_store.h"

namespace topicwall::store {
namespace {

using OwnedStore = std::unique_ptr<EventStore>;

// A name that nobody opens.
std::string UnfinishedPath(absl::string_view directory) {
  return absl::StrCat(DatabasePath(directory), ".new");
}

// A database copied in from elsewhere is another ledger, with a budget of its own to spend.
absl::Status RequireIdentityOf(EventStore& store, absl::string_view directory) {
  TW_ASSIGN_OR_RETURN(const Identity identity, store.ReadIdentity());
  TW_ASSIGN_OR_RETURN(const std::string expected, ReadIdentityFile(directory));
  return identity.ledger_id == expected ? absl::OkStatus()
                                        : absl::DataLossError("ledger.id names another ledger.");
}

absl::StatusOr<OwnedStore> OpenIn(const std::string& directory,
                                  std::optional<DataDirectoryLock> lock) {
  TW_RETURN_IF_ERROR(CheckFilesPresent(directory));
  TW_ASSIGN_OR_RETURN(OwnedStore store, OpenSqliteStore(DatabasePath(directory), std::move(lock)));
  TW_RETURN_IF_ERROR(RequireIdentityOf(*store, directory));
  return store;
}

absl::Status ThereIsOrWas(const std::string& path) {
  return absl::AlreadyExistsError(absl::StrCat(path, " exists: there is, or was, a ledger here."));
}

// A store without its identity file: of a creation that was interrupted in between, if it has no
// budget and so never released anything; else of a ledger that lost the file.
absl::Status FinishCreation(const std::string& directory) {
  TW_ASSIGN_OR_RETURN(const OwnedStore store,
                      OpenSqliteStore(DatabasePath(directory), std::nullopt));
  TW_ASSIGN_OR_RETURN(const Identity identity, store->ReadIdentity());
  TW_ASSIGN_OR_RETURN(const std::vector<Chain> chains, store->Chains());
  if (!chains.empty()) return ThereIsOrWas(DatabasePath(directory));
  return WriteIdentityFile(directory, identity.ledger_id);
}

}  // namespace

absl::StatusOr<OwnedStore> CreateStore(DataDirectoryLock lock, const Identity& identity) {
  const std::string directory = lock.directory();
  if (HasIdentityFile(directory)) return ThereIsOrWas(IdentityPath(directory));
  if (base::FileExists(DatabasePath(directory))) {
    TW_RETURN_IF_ERROR(FinishCreation(directory));
    return OpenStore(std::move(lock));
  }
  // Under another name until it is whole. A half-made one of an earlier attempt has no
  // budget and no identity file, so nothing is lost with it.
  TW_RETURN_IF_ERROR(MakeSqliteStore(UnfinishedPath(directory), identity).status());
  // The database before its identity. An identity alone is what a lost ledger leaves, so a creation
  // cut short there could never be told from a loss, nor finished; a database without budgets can.
  TW_RETURN_IF_ERROR(base::RenameDurably(UnfinishedPath(directory), DatabasePath(directory),
                                         base::IfExists::kReplace));
  TOPICWALL_KILL_POINT("inside-create");
  TW_RETURN_IF_ERROR(WriteIdentityFile(directory, identity.ledger_id));
  return OpenStore(std::move(lock));
}

absl::StatusOr<OwnedStore> OpenStore(DataDirectoryLock lock) {
  const std::string directory = lock.directory();
  return OpenIn(directory, std::move(lock));
}

absl::StatusOr<OwnedStore> OpenStoreReadOnly(absl::string_view directory) {
  return OpenIn(std::string(directory), std::nullopt);
}

absl::Status RequireNoStore(absl::string_view directory) {
  const std::optional<std::string> file = AnyFileOf(DatabasePath(directory));
  if (!file.has_value()) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(*file, " exists: move it away first."));
}

absl::StatusOr<StoreCopy> StoreCopy::Create(absl::string_view to, const Identity& identity) {
  std::unique_ptr<std::string, Remove> path(new std::string(UnfinishedPath(to)));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<EventStore> store, MakeSqliteStore(*path, identity));
  return StoreCopy(to, std::move(path), std::move(store));
}

absl::StatusOr<StoreCopy> StoreCopy::Make(absl::string_view from, absl::string_view to) {
  // Before the copy: whatever goes wrong from here on leaves no half of one.
  std::unique_ptr<std::string, Remove> path(new std::string(UnfinishedPath(to)));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<EventStore> store,
                      CopySqliteStore(DatabasePath(from), *path));
  TW_RETURN_IF_ERROR(RequireIdentityOf(*store, from));
  return StoreCopy(to, std::move(path), std::move(store));
}

StoreCopy::StoreCopy(absl::string_view directory, std::unique_ptr<std::string, Remove> path,
                     std::unique_ptr<EventStore> store)
    : directory_(directory), path_(std::move(path)), store_(std::move(store)) {}
StoreCopy::StoreCopy(StoreCopy&&) = default;
StoreCopy::~StoreCopy() = default;

EventStore& StoreCopy::store() { return *store_; }

absl::Status StoreCopy::PutInPlace() && {
  TW_ASSIGN_OR_RETURN(const Identity identity, store_->ReadIdentity());
  store_.reset();  // What was appended is durable, and closed it is one file.
  return GiveName(identity);
}

absl::Status StoreCopy::GiveName(const Identity& identity) {
  if (!HasIdentityFile(directory_)) {
    TW_RETURN_IF_ERROR(WriteIdentityFile(directory_, identity.ledger_id));
  }
  TOPICWALL_KILL_POINT("before-copy-rename");
  if (!base::RenameDurably(*path_, DatabasePath(directory_), base::IfExists::kReplace).ok()) {
    return absl::UnavailableError(absl::StrCat("cannot rename ", *path_, ": look at the disk."));
  }
  TOPICWALL_KILL_POINT("after-copy-rename");
  return absl::OkStatus();
}

absl::Status StoreCopy::PutInUse() && {
  // Closed first: what it was opened for is in the file, and no log can be left behind by its name.
  TW_ASSIGN_OR_RETURN(const Identity identity, store_->ReadIdentity());
  store_.reset();
  TW_RETURN_IF_ERROR(LetReadersIn(*path_));
  return GiveName(identity);
}

void StoreCopy::Remove::operator()(std::string* path) const {
  RemoveFilesOf(*path);
  delete path;
}

}  // namespace topicwall::store
