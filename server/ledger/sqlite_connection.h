// One connection to the ledger's SQLite file, its statements and its transactions, as
// owning objects that answer with absl::Status.
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
// Errors of every call: UNAVAILABLE if the disk is full, fails or is locked; DATA_LOSS if
// the file is damaged or has other tables; FAILED_PRECONDITION for writing through a
// read-only connection; INTERNAL otherwise. Messages carry SQLite's text, never values of a
// row.
// Threads: one at a time; the ledger's mutex sees to it.
#ifndef TOPICWALL_SERVER_LEDGER_SQLITE_CONNECTION_H_
#define TOPICWALL_SERVER_LEDGER_SQLITE_CONNECTION_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "accountant/status_macros.h"

namespace topicwall::ledger {

// Marks an argument as a BLOB; other strings are bound as TEXT.
struct Blob {
  absl::string_view bytes;
};

class SqliteStatement {
 public:
  // True: the next row can be read. False: there are no more.
  absl::StatusOr<bool> Step();

  // Column `column` (from 0) of the row; 0 or empty where it is NULL.
  int64_t Int64(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  int Int(int column) const { return sqlite3_column_int(statement_.get(), column); }
  std::string Bytes(int column) const;
  bool IsNull(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
  }

 private:
  friend class SqliteConnection;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}

  int Bind(int index, int64_t value) { return sqlite3_bind_int64(statement_.get(), index, value); }
  int Bind(int index, absl::string_view text);
  int Bind(int index, Blob blob);

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

class SqliteConnection {
 public:
  enum class Mode { kCreate, kReadWrite, kReadOnly };

  // kCreate wants no file of that name, the others want one. New files have mode 0600.
  static absl::StatusOr<SqliteConnection> Open(const std::string& path, Mode mode);

  bool read_only() const { return read_only_; }
  sqlite3* raw() const { return database_.get(); }

  // A statement with its parameters bound in order: integers, text, Blob{…}.
  template <typename... Arguments>
  absl::StatusOr<SqliteStatement> Prepare(absl::string_view sql, const Arguments&... arguments) {
    TW_ASSIGN_OR_RETURN(SqliteStatement statement, Compile(sql));
    int index = 0;
    int code = SQLITE_OK;
    ((code = code == SQLITE_OK ? statement.Bind(++index, arguments) : code), ...);
    if (code != SQLITE_OK) return Error(code);
    return statement;
  }

  // Prepare, and step to the end.
  template <typename... Arguments>
  absl::Status Run(absl::string_view sql, const Arguments&... arguments) {
    TW_ASSIGN_OR_RETURN(SqliteStatement statement, Prepare(sql, arguments...));
    return Finish(statement);
  }

  // Several statements without parameters.
  absl::Status RunScript(const std::string& sql);

  // DATA_LOSS if the file that was opened is no longer the one of that name; if there is no
  // write-ahead log under its name. Cost: 1 µs.
  absl::Status RequireInPlace();
  absl::Status RequireLogInPlace();

  // Empties the write-ahead log into the main file if nobody is reading; else does nothing.
  // True if the main file now holds everything.
  bool Checkpoint();

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  SqliteConnection(sqlite3* database, bool read_only)
      : database_(database), read_only_(read_only) {}

  absl::StatusOr<SqliteStatement> Compile(absl::string_view sql);
  static absl::Status Finish(SqliteStatement& statement);
  absl::Status Error(int code) const;

  std::unique_ptr<sqlite3, Close> database_;
  bool read_only_;
};

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

}  // namespace topicwall::ledger

#endif  // TOPICWALL_SERVER_LEDGER_SQLITE_CONNECTION_H_
