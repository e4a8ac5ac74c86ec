#include "server/admin/commands/command_backup.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "server/admin/custody.h"
#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;
using ::testing::UnorderedElementsAre;

class BackupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(world_.Ingest("notes", {"ann"}));
    ASSERT_OK(world_.Ingest("letters", {"bob"}));
    ASSERT_OK(world_.Open("notes"));
  }
  absl::StatusOr<Outcome> Backup() const {
    return MakeBackup({.config = world_.config(), .output = world_.Path("backup")});
  }
  bool LeftNothing() const {
    return !world_.Exists("backup") && !world_.Exists("backup.unfinished");
  }

  const CustodianWorld world_;
};

TEST_F(BackupTest, HoldsLedgerAndCorporaForTheOwnerAloneAndNoKey) {
  ASSERT_OK(Backup());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(world_.Path("backup"))) {
    names.push_back(entry.path().filename().string());
    EXPECT_EQ(world_.Mode("backup/" + names.back()), 0600) << names.back();
  }
  EXPECT_THAT(names,
              UnorderedElementsAre("ledger.db", "ledger.id", "letters.corpus", "notes.corpus"));
  EXPECT_EQ(world_.Mode("backup"), 0700);
  EXPECT_EQ(world_.Read("backup/notes.corpus"), world_.Read("data/notes.corpus"));
}

TEST_F(BackupTest, WorksBesideAServer) {
  const auto server = world_.Ledger();
  EXPECT_OK(Backup());
}

TEST_F(BackupTest, NeverWritesOverAFolder) {
  std::filesystem::create_directory(world_.Path("backup"));
  EXPECT_THAT(Backup(), StatusIs(absl::StatusCode::kAlreadyExists));
  std::filesystem::remove(world_.Path("backup"));
  std::filesystem::create_directory(world_.Path("backup.unfinished"));
  EXPECT_THAT(Backup(), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("interrupted")));
  EXPECT_TRUE(world_.Exists("backup.unfinished"));
}

TEST_F(BackupTest, ADamagedCorpusIsNotBackedUpAsIfItWereGood) {
  world_.DamageLastBlock("notes");
  EXPECT_THAT(Backup(), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_TRUE(LeftNothing());
}

TEST_F(BackupTest, WithoutALedgerThereIsNoBackup) {
  std::filesystem::remove(world_.Path("data/ledger.db"));
  EXPECT_THAT(Backup(), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_TRUE(LeftNothing());
}

}  // namespace
}  // namespace topicwall::admin
