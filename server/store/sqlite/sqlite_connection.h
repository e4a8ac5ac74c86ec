// One connection to the ledger's SQLite file: its statements and its transactions.
//
//   auto charges = connection.Collect(OpenChargeOf, "SELECT … WHERE budget_id = ?", id);
//   auto written = connection.Write([&] { return connection.Run("DELETE FROM blob"); });
//
// Errors of every call: UNAVAILABLE if the disk is full, fails or is locked; DATA_LOSS if the file
// is damaged, has other tables or is no longer the one of its name; FAILED_PRECONDITION for writing
// where it was opened for reading; INTERNAL otherwise. Messages never carry values of a row.
// Threads: one at a time, unless said otherwise; the store's mutex sees to it.
#ifndef TOPICWALL_SERVER_STORE_SQLITE_SQLITE_CONNECTION_H_
#define TOPICWALL_SERVER_STORE_SQLITE_SQLITE_CONNECTION_H_

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"
#include "server/store/ledger_files.h"

namespace topicwall::store {

// Marks an argument as a BLOB; other strings are bound as TEXT.
struct Blob {
  absl::string_view bytes;
};

// What a code of SQLite's other than SQLITE_OK means to whoever called.
absl::Status SqliteError(int code);

struct SqliteEnd {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class SqliteStatement {
 public:
  // True: the next row can be read. False: there are no more.
  absl::StatusOr<bool> Step();

  // Column `column` (from 0) of the row; 0 or empty where it is NULL.
  int64_t Int64(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  std::string Bytes(int column) const;

 private:
  friend class SqliteConnection;
  explicit SqliteStatement(sqlite3_stmt* statement) : statement_(statement) {}
  int Bind(int index, int64_t value) { return sqlite3_bind_int64(statement_.get(), index, value); }
  int Bind(int index, absl::string_view text);
  int Bind(int index, Blob blob);

  std::unique_ptr<sqlite3_stmt, SqliteEnd> statement_;
};

class SqliteConnection {
 public:
  // Of a file that is there; an empty one is a database without tables. To read one that others may
  // write, SQLite writes beside it. Where it cannot, on a disk that is full or mounted read-only,
  // the file is read alone if no act stands in a log and the folder's lock is free: no writer gets
  // that while the connection lives (data_directory_lock.h). Else UNAVAILABLE.
  enum class Mode { kReadWrite, kReadOnly };
  static absl::StatusOr<SqliteConnection> Open(const std::string& path, Mode mode);

  // A statement with its parameters bound in order: integers, text, Blob{…}.
  template <typename... Arguments>
  absl::StatusOr<SqliteStatement> Prepare(absl::string_view sql, const Arguments&... arguments) {
    TW_ASSIGN_OR_RETURN(SqliteStatement statement, Compile(sql));
    int index = 0;
    int code = SQLITE_OK;
    ((code = code == SQLITE_OK ? statement.Bind(++index, arguments) : code), ...);
    if (code != SQLITE_OK) return SqliteError(code);
    return statement;
  }

  // What `make` makes of each row.
  template <typename T, typename... Arguments>
  absl::StatusOr<std::vector<T>> Collect(T (*make)(const SqliteStatement& row),
                                         absl::string_view sql, const Arguments&... arguments) {
    std::vector<T> made;
    TW_ASSIGN_OR_RETURN(SqliteStatement row, Prepare(sql, arguments...));
    for (;;) {
      TW_ASSIGN_OR_RETURN(const bool more, row.Step());
      if (!more) return made;
      made.push_back(make(row));
    }
  }

  // Of the first row; none if there is none.
  template <typename T, typename... Arguments>
  absl::StatusOr<std::optional<T>> First(T (*make)(const SqliteStatement& row),
                                         absl::string_view sql, const Arguments&... arguments) {
    TW_ASSIGN_OR_RETURN(std::vector<T> made, Collect(make, sql, arguments...));
    if (made.empty()) return std::nullopt;
    return std::move(made.front());
  }

  template <typename... Arguments>
  absl::Status Run(absl::string_view sql, const Arguments&... arguments) {
    const auto nothing = +[](const SqliteStatement&) { return 0; };
    return Collect(nothing, sql, arguments...).status();
  }

  // Several statements without parameters.
  absl::Status RunScript(const std::string& sql);

  // One transaction, serialised against every other writer from its beginning: what `changes`
  // writes through this connection, or nothing if it does not answer OK. Durable when this answers
  // OK, and on the file that still has the name. After DATA_LOSS because the file is gone, what was
  // written is gone with it, or there if it is put back.
  absl::Status Write(absl::FunctionRef<absl::Status()> changes);

  // Threads: any.
  const FileInPlace& file() const { return file_; }

 private:
  SqliteConnection(sqlite3* database, FileInPlace file)
      : database_(database), file_(std::move(file)) {}

  static absl::StatusOr<SqliteConnection> OpenAs(const std::string& name, FileInPlace file,
                                                 int flags);
  absl::StatusOr<SqliteStatement> Compile(absl::string_view sql);

  base::FileDescriptor writers_kept_out_{-1};  // before database_: let go of after that is closed
  std::unique_ptr<sqlite3, SqliteEnd> database_;
  FileInPlace file_;
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_SQLITE_SQLITE_CONNECTION_H_
