// The chains of a ledger in one SQLite file, for one server process. Which file that is, and how it
// comes to its place, is stores.h's.
//
//   TW_RETURN_IF_ERROR(SqliteStore::MakeFile(path, identity));
//   TW_ASSIGN_OR_RETURN(auto store, SqliteStore::Open(path, std::move(lock)));
//
// Tables: ledger (the identity), chain, event, open_charge, plan, blob; the file says "TWL2" and
// version 1. Every Append is one IMMEDIATE transaction with synchronous=FULL. Whatever is deleted
// (sealed keys above all) is overwritten.
//
// Threads: any; one connection, one mutex. Cost, if a sync takes 1 ms: an Append a few ms, and
// 10 ms for each MB of blobs.
#ifndef TOPICWALL_SERVER_STORE_SQLITE_SQLITE_STORE_H_
#define TOPICWALL_SERVER_STORE_SQLITE_SQLITE_STORE_H_

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "server/store/data_directory_lock.h"
#include "server/store/event_store.h"
#include "server/store/sqlite/sqlite_connection.h"

namespace topicwall::store {

class SqliteStore final : public EventStore {
 public:
  // A new file without budgets, closed again. What lies there is removed first.
  static absl::Status MakeFile(const std::string& path, const Identity& identity);

  // Without a lock only to be read, also beside a server that writes. DATA_LOSS if it is damaged or
  // no ledger; FAILED_PRECONDITION if an older program wrote it.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Open(const std::string& path,
                                                           std::optional<DataDirectoryLock> lock);

  // A copy of one moment of the file `from`, opened to be worked on. What lies there is removed
  // first.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Copy(const std::string& from,
                                                           const std::string& path);
  // Writes everything into the one file that Copy made, and closes it. `backup`: it can then be
  // read from where nothing can be written.
  absl::Status FinishCopy(bool backup);

  // The file with what SQLite puts beside it: the first of them that there is. A write-ahead log
  // left beside a new file would be replayed into it.
  static std::optional<std::string> AnyFileOf(const std::string& path);
  static void RemoveFiles(const std::string& path);

  absl::Status RequireInPlace() override;
  absl::StatusOr<Identity> ReadIdentity() override;
  absl::StatusOr<std::vector<Chain>> Chains() override;
  absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEntries(absl::string_view budget_id,
                                                           int64_t first, int64_t limit) override;
  absl::StatusOr<std::vector<OpenCharge>> OpenCharges() override;
  absl::StatusOr<std::optional<PlanRecord>> FindPlan(absl::string_view plan_id) override;
  absl::StatusOr<std::optional<PlanRecord>> FindPlanByRequest(
      absl::string_view principal, absl::string_view request_id) override;
  absl::StatusOr<std::optional<std::string>> ReadBlob(absl::string_view sha256,
                                                      int64_t part) override;
  absl::Status Append(const Change& change) override;
  absl::Status CheckStructure() override;

 private:
  SqliteStore(std::optional<DataDirectoryLock> lock, SqliteConnection connection,
              const std::string& path);
  // The one row of the table `ledger`.
  static absl::StatusOr<Identity> IdentityOf(SqliteConnection& connection);
  static absl::Status SetIdentity(SqliteConnection& connection, const Identity& identity);
  absl::Status Apply(const Change::Growth& growth) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Apply(const Change::Row& row) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::optional<OpenCharge>> RowOf(absl::string_view budget_id, int64_t sequence)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::optional<DataDirectoryLock> lock_;  // none if read-only, or a copy
  const std::string path_;
  const struct stat opened_;  // what stood there
  absl::Mutex mutex_;
  std::optional<SqliteConnection> connection_ ABSL_GUARDED_BY(mutex_);  // none once closed
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_SQLITE_SQLITE_STORE_H_
