#include "server/store/sqlite/sqlite_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "server/store/data_directory_lock.h"
#include "server/store/ledger_files.h"
#include "tests/server/store/sqlite/sqlite_file_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::store {
namespace {

using testing::StatusIs;

class SqliteConnectionTest : public SqliteFileTest {
 protected:
  static int64_t CountIn(SqliteConnection& connection) {
    auto row = connection.Prepare("SELECT COUNT(*) FROM t");
    EXPECT_OK(row);
    EXPECT_OK(row->Step());
    return row->Int64(0);
  }
  int64_t Count() { return CountIn(connection_); }
  absl::Status Insert() { return connection_.Run("INSERT INTO t VALUES (1, 2)"); }
};

TEST_F(SqliteConnectionTest, NewFilesAreTheOwnersAlone) {
  struct stat status;
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600);
  for (const Mode mode : {Mode::kReadWrite, Mode::kReadOnly}) {
    EXPECT_THAT(SqliteConnection::Open(path() + "x", mode),
                StatusIs(absl::StatusCode::kUnavailable));
  }
}

TEST_F(SqliteConnectionTest, ValuesComeBackAsTheyWereBound) {
  const std::string blob("\0\1\xff", 3);
  ASSERT_OK(connection_.Run("INSERT INTO t VALUES (?, ?)", int64_t{-5}, Blob{blob}));
  ASSERT_OK(connection_.Run("INSERT INTO t VALUES (?, ?)", "text", Blob{""}));
  ASSERT_OK_AND_ASSIGN(
      auto row,
      connection_.Prepare("SELECT a, b, typeof(a), typeof(b), NULL FROM t ORDER BY rowid"));
  ASSERT_TRUE(*row.Step());
  EXPECT_EQ(row.Int64(0), -5);
  EXPECT_EQ(row.Bytes(1), blob);
  ASSERT_TRUE(*row.Step());
  EXPECT_EQ(row.Bytes(0), "text");
  EXPECT_EQ(row.Bytes(1), "");
  EXPECT_EQ(row.Bytes(2), "text");
  EXPECT_EQ(row.Bytes(3), "blob");
  EXPECT_EQ(row.Bytes(4), "");
  EXPECT_EQ(row.Int64(4), 0);
  EXPECT_FALSE(*row.Step());
}

TEST_F(SqliteConnectionTest, ErrorsSayWhatKindTheyAre) {
  EXPECT_THAT(connection_.Run("SELECT * FROM nowhere"),
              StatusIs(absl::StatusCode::kDataLoss, ::testing::HasSubstr("tables")));
  ASSERT_OK(connection_.RunScript("PRAGMA max_page_count = 3"));
  const auto insert = [&] { return connection_.Run("INSERT INTO t VALUES (1, zeroblob(100000))"); };
  EXPECT_THAT(connection_.Write(insert),
              StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr("full")));

  const std::string garbage = directory_.path() + "/garbage.db";
  testing::WriteWholeFile(garbage, std::string(5000, 'x'));
  EXPECT_THAT(SqliteConnection::Open(garbage, Mode::kReadWrite),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(SqliteConnectionTest, ATransactionIsAllOrNothing) {
  EXPECT_THAT(connection_.Write([&] {
    EXPECT_OK(Insert());
    EXPECT_EQ(Count(), 1);
    return absl::AbortedError("");
  }),
              StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(Count(), 0);
  EXPECT_OK(connection_.Write([&] { return Insert(); }));
  EXPECT_EQ(Count(), 1);
}

TEST_F(SqliteConnectionTest, ACommitIsInTheMainFileAndNotInTheLogAlone) {
  ASSERT_OK(connection_.Write([&] { return Insert(); }));
  EXPECT_EQ(std::filesystem::file_size(path() + "-wal"), 0);
}

TEST_F(SqliteConnectionTest, AReaderSeesOneMomentAndNobodyWaitsForIt) {
  ASSERT_OK_AND_ASSIGN(auto reader, SqliteConnection::Open(path(), Mode::kReadOnly));
  ASSERT_OK(reader.RunScript("BEGIN"));
  EXPECT_EQ(CountIn(reader), 0);
  ASSERT_OK(connection_.Write([&] { return Insert(); }));
  EXPECT_EQ(CountIn(reader), 0);
  ASSERT_OK(reader.RunScript("ROLLBACK"));
  EXPECT_EQ(CountIn(reader), 1);
  EXPECT_THAT(reader.Write([] { return absl::OkStatus(); }),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(SqliteConnectionTest, AFileThatLostItsNameIsNotWritten) {
  for (const bool replaced : {false, true}) {
    SCOPED_TRACE(replaced);
    std::filesystem::rename(path(), path() + ".away");
    if (replaced) std::filesystem::copy_file(path() + ".away", path());
    EXPECT_THAT(connection_.Write([&] { return Insert(); }),
                StatusIs(absl::StatusCode::kDataLoss, ::testing::HasSubstr("replaced")));
    EXPECT_THAT(connection_.file().Require(), StatusIs(absl::StatusCode::kDataLoss));
    std::filesystem::rename(path() + ".away", path());
    EXPECT_OK(connection_.file().Require());
    EXPECT_EQ(Count(), 0);
  }
}

TEST_F(SqliteConnectionTest, ACommitIntoAFileThatWasDeletedInTheMeantimeIsNoCommit) {
  EXPECT_THAT(connection_.Write([&] {
    std::filesystem::remove(path());
    return Insert();
  }),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(SqliteConnectionTest, ACommitThatStandsInTheLogAloneNeedsTheLog) {
  for (const bool delete_log : {false, true}) {
    ASSERT_OK_AND_ASSIGN(auto reader, SqliteConnection::Open(path(), Mode::kReadOnly));
    ASSERT_OK(reader.RunScript("BEGIN"));
    ASSERT_OK(reader.Run("SELECT COUNT(*) FROM t"));  // keeps the log from being emptied
    const absl::Status written = connection_.Write([&] {
      if (delete_log) std::filesystem::remove(path() + "-wal");
      return Insert();
    });
    EXPECT_THAT(written,
                StatusIs(delete_log ? absl::StatusCode::kDataLoss : absl::StatusCode::kOk));
  }
}

// What no file can be made for beside the ledger's, as on a disk that is full or mounted read-only,
// and no writer has open.
class ReadAloneTest : public SqliteConnectionTest {
 protected:
  void SetUp() override {
    ASSERT_OK(Insert());
    connection_ = Make(directory_.path() + "/other.db");  // closes the first
    ASSERT_EQ(AnyFileOf(path() + "-wal"), std::nullopt);
    std::filesystem::create_symlink("/nowhere", path() + "-shm");
  }
  absl::StatusOr<SqliteConnection> Open() {
    return SqliteConnection::Open(path(), Mode::kReadOnly);
  }
};

TEST_F(ReadAloneTest, AFileThatNobodyCanWriteIsReadAndNobodyWritesMeanwhile) {
  {
    ASSERT_OK_AND_ASSIGN(SqliteConnection alone, Open());
    EXPECT_EQ(CountIn(alone), 1);
    EXPECT_THAT(alone.Write([&] { return alone.Run("INSERT INTO t VALUES (3, 4)"); }),
                StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_OK(Open()) << "several may read";
    EXPECT_THAT(DataDirectoryLock::Acquire(directory_.path()),
                StatusIs(absl::StatusCode::kFailedPrecondition));
  }
  EXPECT_OK(DataDirectoryLock::Acquire(directory_.path()));
}

TEST_F(ReadAloneTest, AFileThatAServerMayWriteIsNot) {
  ASSERT_OK_AND_ASSIGN(const DataDirectoryLock lock, DataDirectoryLock::Acquire(directory_.path()));
  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kUnavailable,
                               ::testing::AllOf(::testing::HasSubstr("write in its folder"),
                                                ::testing::HasSubstr("read the copy"))));
}

TEST_F(ReadAloneTest, AFileWithALogIsNot) {
  testing::WriteWholeFile(path() + "-wal", "x");
  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(SqliteErrorTest, WhatReadersWantRoomForIsAFullDisk) {
  EXPECT_THAT(SqliteError(SQLITE_IOERR_SHMSIZE),
              StatusIs(absl::StatusCode::kUnavailable,
                       ::testing::AllOf(::testing::HasSubstr("disk is full"),
                                        ::testing::HasSubstr("Free space"),
                                        ::testing::HasSubstr("read the copy"))));
}

}  // namespace
}  // namespace topicwall::store
