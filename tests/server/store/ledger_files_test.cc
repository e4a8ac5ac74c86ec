#include "server/store/ledger_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "server/store/stores.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::StatusIs;
using testing::TemporaryDirectory;

TEST(LedgerFilesTest, TheIdentityFileIsWrittenOnceAndForTheOwnerAlone) {
  TemporaryDirectory directory;
  ASSERT_OK(WriteIdentityFile(directory.path(), "abc"));
  EXPECT_EQ(*ReadIdentityFile(directory.path()), "abc");
  struct stat status;
  ASSERT_EQ(stat(IdentityPath(directory.path()).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600);
  EXPECT_FALSE(WriteIdentityFile(directory.path(), "def").ok());
  EXPECT_EQ(*ReadIdentityFile(directory.path()), "abc");
  EXPECT_FALSE(ReadIdentityFile(directory.path() + "/nowhere").ok());
}

TEST(LedgerFilesTest, OneFileWithoutTheOtherIsALostLedger) {
  TemporaryDirectory directory;
  EXPECT_THAT(CheckFilesPresent(directory.path()), StatusIs(absl::StatusCode::kNotFound));
  testing::WriteWholeFile(DatabasePath(directory.path()), "x");
  EXPECT_THAT(CheckFilesPresent(directory.path()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("ledger.id")));
  testing::WriteWholeFile(IdentityPath(directory.path()), "x");
  EXPECT_OK(CheckFilesPresent(directory.path()));
}

// An empty folder is also what a disk that is not mounted leaves.
TEST(LedgerFilesTest, WhereNoLedgerIsItIsNotSaidThatNoneWas) {
  TemporaryDirectory directory;
  EXPECT_THAT(
      CheckFilesPresent(directory.path()),
      StatusIs(absl::StatusCode::kNotFound,
               AllOf(HasSubstr("its disk is not mounted"), HasSubstr("topicwall-admin restore"),
                     HasSubstr("a second one for the same documents"),
                     HasSubstr("topicwall-admin open-budget"))));
}

TEST(LedgerFilesTest, WhatIsNoRegularFileIsRefusedAndNotWaitedFor) {
  TemporaryDirectory directory;
  ASSERT_EQ(mkfifo(IdentityPath(directory.path()).c_str(), 0600), 0);
  EXPECT_THAT(ReadIdentityFile(directory.path()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("ledger.id is not a regular file")));
  EXPECT_OK(RequireRegular(DatabasePath(directory.path())));
  ASSERT_EQ(mkfifo(DatabasePath(directory.path()).c_str(), 0600), 0);
  EXPECT_THAT(OpenStoreReadOnly(directory.path()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("ledger.db is not a regular file")));
}

TEST(LedgerFilesTest, ALogOfNoBytesHasNothing) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/any.db";
  EXPECT_FALSE(HasLog(path));
  testing::WriteWholeFile(path + "-wal", "");
  EXPECT_FALSE(HasLog(path));
  testing::WriteWholeFile(path + "-wal", "x");
  EXPECT_TRUE(HasLog(path));
  RemoveFilesOf(path);
  testing::WriteWholeFile(path + "-journal", "");
  EXPECT_TRUE(HasLog(path));
}

TEST(LedgerFilesTest, AnEmptyDatabaseIsItsOwnersAloneAndHasNoLogOfAnother) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/any.db";
  EXPECT_EQ(AnyFileOf(path), std::nullopt);
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    testing::WriteWholeFile(path + suffix, "x");
    EXPECT_EQ(AnyFileOf(path), path + suffix);
    ASSERT_OK(MakeEmpty(path));
    EXPECT_EQ(testing::ReadWholeFile(path), "");
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600);
    RemoveFilesOf(path);
    EXPECT_EQ(AnyFileOf(path), std::nullopt) << suffix;
  }
}

}  // namespace
}  // namespace topicwall::store
