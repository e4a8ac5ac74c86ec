// A ledger's store by the name of its data directory, whatever it is made of: today one SQLite file
// (sqlite/).
//
//   TW_ASSIGN_OR_RETURN(DataDirectoryLock lock, DataDirectoryLock::Acquire(directory));
//   TW_ASSIGN_OR_RETURN(std::unique_ptr<EventStore> store, OpenStore(std::move(lock)));
//
// One writer: whoever holds the data directory's lock, which the store keeps as long as it lives.
// Readers work beside it, each call at a moment of its own.
//
// Errors of all: UNAVAILABLE for disks; DATA_LOSS for what is damaged or another's.
// Threads: any.
#ifndef TOPICWALL_SERVER_STORE_STORES_H_
#define TOPICWALL_SERVER_STORE_STORES_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/store/data_directory_lock.h"
#include "server/store/event_store.h"

namespace topicwall::store {

// A new store without budgets. ALREADY_EXISTS if the directory has, or had, a ledger: any of its
// files, unless a creation was interrupted between them; that one is finished.
absl::StatusOr<std::unique_ptr<EventStore>> CreateStore(DataDirectoryLock lock,
                                                        const Identity& identity);
// NOT_FOUND if there never was one; FAILED_PRECONDITION if a program wrote it that is too old, or
// newer.
absl::StatusOr<std::unique_ptr<EventStore>> OpenStore(DataDirectoryLock lock);
// Without a lock, also beside a running server. It cannot be appended to. On a disk that nothing
// can be written on only where no server runs, and none starts meanwhile
// (sqlite/sqlite_connection.h).
absl::StatusOr<std::unique_ptr<EventStore>> OpenStoreReadOnly(absl::string_view directory);

// ALREADY_EXISTS, naming the file, if a store lies in the directory, or what is left of one.
absl::Status RequireNoStore(absl::string_view directory);

// A store of one moment of another, to be worked on before it takes its place; what never does is
// removed again.
class StoreCopy {
 public:
  // Of the store in `from`, in the directory `to`, under a name that nobody opens. DATA_LOSS unless
  // its identity is that of from's ledger.id.
  static absl::StatusOr<StoreCopy> Make(absl::string_view from, absl::string_view to);
  // The same without budgets, for a copy of a store of another kind.
  static absl::StatusOr<StoreCopy> Create(absl::string_view to, const Identity& identity);
  StoreCopy(StoreCopy&&);
  ~StoreCopy();

  EventStore& store();

  // Gives it its name, with its ledger.id if there is none. Identity first: if the machine stops in
  // between, the store is missing, and the same can be done again.
  absl::Status PutInPlace() &&;
  // The same of one that is to be used where it lies, and not only kept.
  absl::Status PutInUse() &&;

 private:
  // Removes the files of an unfinished copy.
  struct Remove {
    void operator()(std::string* path) const;
  };
  StoreCopy(absl::string_view directory, std::unique_ptr<std::string, Remove> path,
            std::unique_ptr<EventStore> store);
  absl::Status GiveName(const Identity& identity);

  std::string directory_;
  std::unique_ptr<std::string, Remove> path_;  // outlives the store
  std::unique_ptr<EventStore> store_;
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_STORES_H_
