// The chains of a ledger in one SQLite file, for one server process.
//
//   TW_ASSIGN_OR_RETURN(DataDirectoryLock lock, DataDirectoryLock::Acquire(directory));
//   TW_ASSIGN_OR_RETURN(auto store, SqliteStore::Open(std::move(lock)));
//
// Files: ledger_files.h. Tables: ledger (the identity), chain, event, open_charge, plan, blob; the
// file says "TWL2" and version 1. Every Append is one IMMEDIATE transaction with synchronous=FULL.
// Whatever is deleted (sealed keys above all) is overwritten.
//
// One writer: whoever holds the data directory's lock, as long as the object lives. Readers
// (OpenReadOnly) work beside it, each call at a moment of its own.
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
  // A new store without budgets. ALREADY_EXISTS if the directory has, or had, a ledger: any of its
  // files, unless a creation was interrupted between them; that one is finished.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Create(DataDirectoryLock lock,
                                                             const Identity& identity);
  // NOT_FOUND if there never was one; DATA_LOSS if it is missing, damaged or another's;
  // FAILED_PRECONDITION if an older program wrote it.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Open(DataDirectoryLock lock);
  // Without a lock, also beside a running server.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> OpenReadOnly(absl::string_view directory);

  // A copy, of one moment, of the database in `from`, opened to be worked on under the name
  // `unfinished`, which is removed first if it is there. For backups. Its identity must be that of
  // from's ledger.id: DATA_LOSS.
  static absl::StatusOr<std::unique_ptr<SqliteStore>> Copy(absl::string_view from,
                                                           const std::string& unfinished);
  // Writes everything into the one file that Copy made, and closes it. `backup`: it can then be
  // read from where nothing can be written.
  absl::Status FinishCopy(bool backup);

  // The one row of the table `ledger`.
  static absl::StatusOr<Identity> IdentityOf(SqliteConnection& connection);
  static absl::Status SetIdentity(SqliteConnection& connection, const Identity& identity);

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
  static absl::StatusOr<std::unique_ptr<SqliteStore>> OpenIn(const std::string& directory,
                                                             std::optional<DataDirectoryLock> lock);

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
