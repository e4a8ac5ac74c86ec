// Transactions on a connection, as owning objects.
//
//   TW_ASSIGN_OR_RETURN(WriteTransaction transaction, WriteTransaction::Begin(connection));
//   TW_RETURN_IF_ERROR(connection.Run("UPDATE plan SET state = ? WHERE plan_id = ?", 2, id));
//   TW_RETURN_IF_ERROR(transaction.Commit());           // without it: rolled back
//
// A transaction is durable when Commit returns OK (WAL, synchronous=FULL). It is then also
// moved from the write-ahead log into the main file, unless a reader is in the way: a log
// is believed only up to its first bad byte, so what stands in the log alone could be
// rolled back by damage that nobody notices; and what was deleted does not linger there.
//
// A database that is deleted, moved or replaced while it is open would go on as a file without a
// name, and everything written to it would be lost with the process. So a transaction begins only
// on the file that has the name, and is answered with OK only if that still has it afterwards;
// else DATA_LOSS.
//
// Errors and threads: as sqlite_connection.h.
#ifndef TOPICWALL_SERVER_STORE_SQLITE_SQLITE_TRANSACTION_H_
#define TOPICWALL_SERVER_STORE_SQLITE_SQLITE_TRANSACTION_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite/sqlite_connection.h"

namespace topicwall::store {

// Serialised against every other writer from its beginning. Rolled back by its destructor
// unless committed. The connection must outlive it.
class WriteTransaction {
 public:
  static absl::StatusOr<WriteTransaction> Begin(SqliteConnection& connection);
  WriteTransaction(WriteTransaction&& other) noexcept;
  WriteTransaction& operator=(WriteTransaction&&) = delete;
  ~WriteTransaction();

  // After an error nothing is changed; but after DATA_LOSS because the file is gone, what was
  // committed is gone with it, or there if it is put back.
  absl::Status Commit();

 private:
  explicit WriteTransaction(SqliteConnection* connection) : connection_(connection) {}
  SqliteConnection* connection_;  // null once committed or moved from
};

// Everything read while it lives is of one moment.
class ReadTransaction {
 public:
  static absl::StatusOr<ReadTransaction> Begin(SqliteConnection& connection);
  ReadTransaction(ReadTransaction&& other) noexcept;
  ReadTransaction& operator=(ReadTransaction&&) = delete;
  ~ReadTransaction();

 private:
  explicit ReadTransaction(SqliteConnection* connection) : connection_(connection) {}
  SqliteConnection* connection_;
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_SQLITE_SQLITE_TRANSACTION_H_
