// SQLite's handles as owning pointers. Statements and values must be destroyed before their
// database: declare them after.
#ifndef TOPICWALL_SERVER_CORPUS_SQLITE_HANDLE_H_
#define TOPICWALL_SERVER_CORPUS_SQLITE_HANDLE_H_

#include <sqlite3.h>

#include <memory>

namespace topicwall::corpus {

struct CloseSqlite {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  void operator()(sqlite3_blob* value) const { sqlite3_blob_close(value); }
};

using SqliteDatabase = std::unique_ptr<sqlite3, CloseSqlite>;
using SqliteStatement = std::unique_ptr<sqlite3_stmt, CloseSqlite>;
using SqliteBlob = std::unique_ptr<sqlite3_blob, CloseSqlite>;

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_SQLITE_HANDLE_H_
