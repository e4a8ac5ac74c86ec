// A SQLite file with one table, t (a, b), and a connection that may write it beside readers.
#ifndef TOPICWALL_TESTS_SERVER_STORE_SQLITE_SQLITE_FILE_FOR_TESTS_H_
#define TOPICWALL_TESTS_SERVER_STORE_SQLITE_SQLITE_FILE_FOR_TESTS_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::store {

class SqliteFileTest : public ::testing::Test {
 protected:
  using Mode = SqliteConnection::Mode;

  SqliteFileTest() : connection_(Make(path())) {}

  std::string path() const { return directory_.path() + "/test.db"; }

  static SqliteConnection Make(const std::string& path) {
    EXPECT_OK(MakeEmpty(path));
    auto connection = SqliteConnection::Open(path, Mode::kReadWrite);
    EXPECT_OK(connection);
    EXPECT_OK(connection->RunScript("PRAGMA journal_mode = WAL"));
    EXPECT_OK(connection->RunScript("CREATE TABLE t (a, b)"));
    return *std::move(connection);
  }

  testing::TemporaryDirectory directory_;
  SqliteConnection connection_;
};

}  // namespace topicwall::store

#endif  // TOPICWALL_TESTS_SERVER_STORE_SQLITE_SQLITE_FILE_FOR_TESTS_H_
