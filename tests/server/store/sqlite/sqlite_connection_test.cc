#include "server/store/sqlite/sqlite_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <utility>

#include "server/store/sqlite/sqlite_transaction.h"
#include "tests/server/store/sqlite/sqlite_file_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::store {
namespace {

using testing::StatusIs;

class SqliteConnectionTest : public SqliteFileTest {};

TEST_F(SqliteConnectionTest, NewFilesAreTheOwnersAlone) {
  struct stat status;
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600);
  EXPECT_THAT(SqliteConnection::Open(path(), Mode::kCreate),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(SqliteConnection::Open(path() + "x", Mode::kReadWrite),
              StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(SqliteConnectionTest, ValuesComeBackAsTheyWereBound) {
  const std::string blob("\0\1\xff", 3);
  ASSERT_OK(connection_.Run("INSERT INTO t VALUES (?, ?)", int64_t{-5}, Blob{blob}));
  ASSERT_OK(connection_.Run("INSERT INTO t VALUES (?, ?)", "text", Blob{""}));
  auto row = connection_.Prepare("SELECT a, b, typeof(a), typeof(b), NULL FROM t ORDER BY rowid");
  ASSERT_OK(row);
  ASSERT_TRUE(*row->Step());
  EXPECT_EQ(row->Int64(0), -5);
  EXPECT_EQ(row->Bytes(1), blob);
  ASSERT_TRUE(*row->Step());
  EXPECT_EQ(row->Bytes(0), "text");
  EXPECT_EQ(row->Bytes(1), "");
  EXPECT_EQ(row->Bytes(2), "text");
  EXPECT_EQ(row->Bytes(3), "blob");
  EXPECT_TRUE(row->IsNull(4));
  EXPECT_FALSE(*row->Step());
}

TEST_F(SqliteConnectionTest, ErrorsSayWhatKindTheyAre) {
  EXPECT_THAT(connection_.Run("SELECT * FROM nowhere"),
              StatusIs(absl::StatusCode::kDataLoss, ::testing::HasSubstr("tables")));
  ASSERT_OK(connection_.RunScript("PRAGMA max_page_count = 3"));
  auto transaction = WriteTransaction::Begin(connection_);
  ASSERT_OK(transaction);
  EXPECT_THAT(connection_.Run("INSERT INTO t VALUES (1, zeroblob(100000))"),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr("full")));

  const std::string garbage = directory_.path() + "/garbage.db";
  testing::WriteWholeFile(garbage, std::string(5000, 'x'));
  EXPECT_THAT(SqliteConnection::Open(garbage, Mode::kReadWrite),
              StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace topicwall::store
