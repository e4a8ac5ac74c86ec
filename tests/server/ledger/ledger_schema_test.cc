#include "server/ledger/ledger_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "tests/server/ledger/bare_ledger.h"

namespace topicwall::ledger {
namespace {

using ::testing::HasSubstr;
using testing::SealingKeyForTests;
using testing::StatusIs;
using testing::TemporaryDirectory;

TEST(LedgerSchemaTest, RandomIdsAre32HexadecimalDigitsAndDiffer) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(*RandomId());
  EXPECT_EQ(ids.size(), 100);
  for (const std::string& id : ids) {
    EXPECT_EQ(id.size(), 32);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
}

TEST(LedgerSchemaTest, NewTablesHaveTheirIdentityAndKnowTheirKey) {
  BareLedger bare;
  auto identity = ReadIdentity(bare.connection());
  ASSERT_OK(identity);
  EXPECT_EQ(identity->ledger_id, "ledger");
  EXPECT_EQ(identity->epoch, 1);
  EXPECT_FALSE(identity->is_backup);
  EXPECT_OK(CheckKey(bare.connection(), *identity, SealingKeyForTests(1)));
  EXPECT_THAT(CheckKey(bare.connection(), *identity, SealingKeyForTests(2)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("key_file")));
  ASSERT_OK(ReplaceKeyCheck(bare.connection(), "ledger", SealingKeyForTests(2)));
  EXPECT_OK(CheckKey(bare.connection(), *identity, SealingKeyForTests(2)));
  EXPECT_FALSE(CheckKey(bare.connection(), *identity, SealingKeyForTests(1)).ok());
}

TEST(LedgerSchemaTest, AnotherProgramsDatabaseIsNoLedger) {
  TemporaryDirectory directory;
  auto other =
      SqliteConnection::Open(directory.path() + "/other.db", SqliteConnection::Mode::kCreate);
  ASSERT_OK(other);
  EXPECT_THAT(ReadIdentity(*other), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(LedgerSchemaTest, ALaterVersionIsNamed) {
  BareLedger bare;
  ASSERT_OK(bare.connection().RunScript("PRAGMA user_version = 7"));
  EXPECT_THAT(ReadIdentity(bare.connection()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("version 7")));
}

TEST(LedgerSchemaTest, TheIdentityFileIsWrittenOnceAndForTheOwnerAlone) {
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

TEST(LedgerSchemaTest, OneFileWithoutTheOtherIsALostLedger) {
  TemporaryDirectory directory;
  EXPECT_THAT(CheckFilesPresent(directory.path()), StatusIs(absl::StatusCode::kNotFound));
  testing::WriteWholeFile(DatabasePath(directory.path()), "x");
  EXPECT_THAT(CheckFilesPresent(directory.path()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("ledger.id")));
  testing::WriteWholeFile(IdentityPath(directory.path()), "x");
  EXPECT_OK(CheckFilesPresent(directory.path()));
}

}  // namespace
}  // namespace topicwall::ledger
