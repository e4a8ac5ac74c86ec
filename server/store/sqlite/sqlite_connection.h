// One connection to the ledger's SQLite file and its statements, as owning objects that answer
// with absl::Status. What is written is written in transactions: sqlite_transaction.h.
//
//   TW_RETURN_IF_ERROR(connection.Run("UPDATE plan SET state = ? WHERE plan_id = ?", 2, id));
//
// Errors of every call: UNAVAILABLE if the disk is full, fails or is locked; DATA_LOSS if
// the file is damaged or has other tables; FAILED_PRECONDITION for writing through a
// read-only connection; INTERNAL otherwise. Messages carry SQLite's text, never values of a
// row.
// Threads: one at a time; the ledger's mutex sees to it.
#ifndef TOPICWALL_SERVER_STORE_SQLITE_SQLITE_CONNECTION_H_
#define TOPICWALL_SERVER_STORE_SQLITE_SQLITE_CONNECTION_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace topicwall::store {

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

  // DATA_LOSS, in the words of RequireInPlace.
  static absl::Status GoneFromItsPlace();
  // What a code of SQLite's means to whoever called.
  static absl::Status StatusOf(int code);

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

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_SQLITE_SQLITE_CONNECTION_H_
