// The chains of a ledger in one SQLite file, for one server process. Which file that is, and how it
// comes to its place, is stores.h's.
//
// Tables: ledger (the identity), event, open_charge, plan, blob; the file says "TWL3" and
// version 1. A chain is its events, and its head that of the last. Beside them SQLite counts how
// many were ever appended (AUTOINCREMENT), so that a lost one is noticed, be it the last. Every
// Append is one IMMEDIATE transaction with synchronous=FULL. What is deleted, sealed keys above
// all, is overwritten.
//
// Threads: any; one connection, one mutex. Cost, if a sync takes 1 ms: an Append a few ms, and
// 10 ms for each MB of blobs.
#ifndef TOPICWALL_SERVER_STORE_SQLITE_SQLITE_STORE_H_
#define TOPICWALL_SERVER_STORE_SQLITE_SQLITE_STORE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/data_directory_lock.h"
#include "server/store/event_store.h"

namespace topicwall::store {

// A new file without budgets, which only the caller knows: once closed it is one file, readable
// where nothing can be written. What lies there is removed first.
absl::StatusOr<std::unique_ptr<EventStore>> MakeSqliteStore(const std::string& path,
                                                            const Identity& identity);

// Without a lock only to be read, also beside a server that writes. DATA_LOSS if it is damaged or
// no ledger; FAILED_PRECONDITION if a program wrote it that is too old, or newer.
absl::StatusOr<std::unique_ptr<EventStore>> OpenSqliteStore(const std::string& path,
                                                            std::optional<DataDirectoryLock> lock);

// As MakeSqliteStore, with a copy of one moment of the file `from`.
absl::StatusOr<std::unique_ptr<EventStore>> CopySqliteStore(const std::string& from,
                                                            const std::string& path);

// Of a copy that is closed and is to be used. The first writer would do it, and killed in the
// middle leave a file that only a writer can mend, and no reader open.
absl::Status LetReadersIn(const std::string& path);

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_SQLITE_SQLITE_STORE_H_
