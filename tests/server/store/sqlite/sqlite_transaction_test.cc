#include "server/store/sqlite/sqlite_transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "tests/server/store/sqlite/sqlite_file_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::store {
namespace {

using testing::StatusIs;

class SqliteTransactionTest : public SqliteFileTest {
 protected:
  int64_t Count() {
    auto row = connection_.Prepare("SELECT COUNT(*) FROM t");
    EXPECT_OK(row);
    EXPECT_OK(row->Step());
    return row->Int64(0);
  }
};

TEST_F(SqliteTransactionTest, ATransactionIsAllOrNothing) {
  {
    auto transaction = WriteTransaction::Begin(connection_);
    ASSERT_OK(transaction);
    ASSERT_OK(connection_.Run("INSERT INTO t VALUES (1, 2)"));
  }
  EXPECT_EQ(Count(), 0);
  {
    auto transaction = WriteTransaction::Begin(connection_);
    ASSERT_OK(transaction);
    ASSERT_OK(connection_.Run("INSERT INTO t VALUES (1, 2)"));
    ASSERT_OK(transaction->Commit());
  }
  EXPECT_EQ(Count(), 1);
}

TEST_F(SqliteTransactionTest, ACommitIsInTheMainFileAndNotInTheLogAlone) {
  auto transaction = WriteTransaction::Begin(connection_);
  ASSERT_OK(transaction);
  ASSERT_OK(connection_.Run("INSERT INTO t VALUES (1, 2)"));
  ASSERT_OK(transaction->Commit());
  EXPECT_EQ(std::filesystem::file_size(path() + "-wal"), 0);
}

TEST_F(SqliteTransactionTest, AReaderSeesOneMomentAndNobodyWaitsForIt) {
  auto reader = SqliteConnection::Open(path(), Mode::kReadOnly);
  ASSERT_OK(reader);
  const auto count = [&] {
    auto row = reader->Prepare("SELECT COUNT(*) FROM t");
    EXPECT_OK(row);
    EXPECT_OK(row->Step());
    return row->Int64(0);
  };
  {
    auto moment = ReadTransaction::Begin(*reader);
    ASSERT_OK(moment);
    EXPECT_EQ(count(), 0);
    auto transaction = WriteTransaction::Begin(connection_);
    ASSERT_OK(transaction);
    ASSERT_OK(connection_.Run("INSERT INTO t VALUES (1, 2)"));
    ASSERT_OK(transaction->Commit());
    EXPECT_EQ(count(), 0);
  }
  EXPECT_EQ(count(), 1);
  EXPECT_THAT(WriteTransaction::Begin(*reader), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(SqliteTransactionTest, AFileThatLostItsNameIsNeitherReadNorWritten) {
  for (const bool replaced : {false, true}) {
    SCOPED_TRACE(replaced);
    std::filesystem::rename(path(), path() + ".away");
    if (replaced) std::filesystem::copy_file(path() + ".away", path());
    EXPECT_THAT(WriteTransaction::Begin(connection_),
                StatusIs(absl::StatusCode::kDataLoss, ::testing::HasSubstr("replaced")));
    EXPECT_THAT(ReadTransaction::Begin(connection_), StatusIs(absl::StatusCode::kDataLoss));
    std::filesystem::rename(path() + ".away", path());
    EXPECT_OK(ReadTransaction::Begin(connection_));
  }
}

TEST_F(SqliteTransactionTest, ACommitIntoAFileThatWasDeletedInTheMeantimeIsNoCommit) {
  auto transaction = WriteTransaction::Begin(connection_);
  ASSERT_OK(transaction);
  ASSERT_OK(connection_.Run("INSERT INTO t VALUES (1, 2)"));
  std::filesystem::remove(path());
  EXPECT_THAT(transaction->Commit(), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(SqliteTransactionTest, ACommitThatStandsInTheLogAloneNeedsTheLog) {
  for (const bool delete_log : {false, true}) {
    auto reader = SqliteConnection::Open(path(), Mode::kReadOnly);
    ASSERT_OK(reader);
    auto moment = ReadTransaction::Begin(*reader);
    ASSERT_OK(moment);
    ASSERT_OK(reader->Run("SELECT COUNT(*) FROM t"));  // keeps the log from being emptied
    auto transaction = WriteTransaction::Begin(connection_);
    ASSERT_OK(transaction);
    ASSERT_OK(connection_.Run("INSERT INTO t VALUES (1, 2)"));
    if (delete_log) std::filesystem::remove(path() + "-wal");
    EXPECT_EQ(transaction->Commit().ok(), !delete_log);
  }
}

}  // namespace
}  // namespace topicwall::store
