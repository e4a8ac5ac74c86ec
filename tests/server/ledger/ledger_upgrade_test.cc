#include "server/ledger/ledger_upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/ledger_chain.h"
#include "proto/receipt.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/ledger_backup.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::EntriesSeenBy;
using ::testing::HasSubstr;
using testing::LedgerForTests;
using testing::LedgerKeysForTests;
using testing::Release;
using testing::ReserveRequestFor;
using testing::SmallPlan;
using testing::StatusIs;

std::string Key() { return LedgerKeysForTests().signing.public_key(); }

// Makes of a ledger of today what version 2 would have written: no receipts, no signing key.
void MakeVersion2(const std::string& directory, const std::string& budget_id) {
  auto connection =
      SqliteConnection::Open(DatabasePath(directory), SqliteConnection::Mode::kReadWrite);
  ASSERT_OK(connection);
  const auto entries = ReadEntries(*connection, budget_id, 1, 1000);
  ASSERT_OK(entries);
  ASSERT_OK(connection->RunScript("DELETE FROM receipt; DELETE FROM event;"));
  ASSERT_OK(connection->Run("UPDATE budget SET events = 0, head = ?", Blob{proto::GenesisHead()}));
  for (const v1::LedgerEntry& entry : *entries) {
    v1::LedgerEvent event;
    ASSERT_TRUE(event.ParseFromString(entry.event()));
    if (event.has_budget_opened()) event.mutable_budget_opened()->clear_signing_key();
    ASSERT_OK(AppendEvent(*connection, budget_id, std::move(event)));
  }
  ASSERT_OK(connection->RunScript(
      "DROP TABLE receipt; ALTER TABLE budget DROP COLUMN signing_key; PRAGMA user_version = 2;"));
}

class LedgerUpgradeTest : public ::testing::Test {
 protected:
  LedgerUpgradeTest() {
    auto plan = wall_->Reserve(ReserveRequestFor("alice", 1, SmallPlan(3)));
    EXPECT_OK(plan);
    plan_ = *plan;
    Release(*wall_, plan_, 1);
    auto cancelled = wall_->Reserve(ReserveRequestFor("alice", 2, SmallPlan(2)));
    EXPECT_OK(cancelled);
    EXPECT_OK(wall_->Cancel("alice", cancelled->plan_id(), 9000));
    spent_ = Spent();
    wall_.Close();
    MakeVersion2(wall_.directory(), wall_.budget_id());
  }

  std::vector<uint64_t> Spent() {
    const auto budget =
        wall_->Budget({.corpus_version = testing::kNotesVersion, .reader = {"ann", true}});
    EXPECT_OK(budget);
    return {budget->spent().begin(), budget->spent().end()};
  }

  LedgerForTests wall_;
  v1::PlanState plan_;
  std::vector<uint64_t> spent_;
};

TEST_F(LedgerUpgradeTest, AnOlderLedgerGetsItsKeyAndItsReceiptsWhenItIsFirstOpened) {
  ASSERT_OK(wall_.TryToOpen());
  EXPECT_EQ(Spent(), spent_);
  const std::vector<v1::LedgerEntry> entries = EntriesSeenBy(*wall_, {"ann", true});
  v1::LedgerEvent last;
  ASSERT_TRUE(last.ParseFromString(entries.back().event()));
  EXPECT_EQ(last.signing_key_established().signing_key(), Key());
  EXPECT_EQ(wall_->Standing(testing::kNotesVersion)->signing_key, Key());

  const auto plan = wall_->GetPlan("alice", plan_.plan_id());
  ASSERT_OK(plan);
  const auto reserved = proto::OpenReceipt(plan->reservation_receipt(), Key());
  ASSERT_OK(reserved);
  const auto before = proto::OpenReceipt(plan_.reservation_receipt(), Key());
  EXPECT_EQ(
      std::vector<uint64_t>(reserved->receipt.spent().begin(), reserved->receipt.spent().end()),
      std::vector<uint64_t>(before->receipt.spent().begin(), before->receipt.spent().end()));
  testing::CollectedRelease release;
  ASSERT_OK(wall_->ReadRelease("alice", plan_.plan_id(), 1, release));
  EXPECT_OK(proto::OpenReceipt(release.header.release_receipt(), Key()));
  EXPECT_OK(wall_->VerifyWholeLedger());
}

TEST_F(LedgerUpgradeTest, TheChainIsContinuedAndOnlyOnce) {
  auto raw =
      SqliteConnection::Open(DatabasePath(wall_.directory()), SqliteConnection::Mode::kReadOnly);
  ASSERT_OK(raw);
  const auto old_entries = ReadEntries(*raw, wall_.budget_id(), 1, 1000);
  ASSERT_OK(old_entries);
  ASSERT_OK(wall_.TryToOpen());
  wall_.Reopen();
  const std::vector<v1::LedgerEntry> entries = EntriesSeenBy(*wall_, {"ann", true});
  ASSERT_EQ(entries.size(), old_entries->size() + 1);
  for (size_t i = 0; i < old_entries->size(); ++i) {
    EXPECT_EQ(entries[i].SerializeAsString(), (*old_entries)[i].SerializeAsString());
  }
}

TEST_F(LedgerUpgradeTest, AReaderDoesNotUpgradeAndSaysWhatDoes) {
  EXPECT_THAT(SqliteLedger::OpenReadOnly(wall_.directory()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("start the server once")));
  ASSERT_OK(wall_.TryToOpen());
  EXPECT_OK(SqliteLedger::OpenReadOnly(wall_.directory()));
}

TEST_F(LedgerUpgradeTest, AnOlderLedgerCanBeBackedUpAndRestored) {
  testing::TemporaryDirectory backup;
  ASSERT_OK(BackupLedger(wall_.directory(), backup.path()));
  testing::TemporaryDirectory restored;
  {
    auto lock = DataDirectoryLock::Acquire(restored.path());
    ASSERT_OK(lock);
    ASSERT_OK(InstallBackup(backup.path(), *lock, 99000));
  }
  auto lock = DataDirectoryLock::Acquire(restored.path());
  ASSERT_OK(lock);
  const auto ledger = SqliteLedger::Open(*std::move(lock), LedgerKeysForTests());
  ASSERT_OK(ledger);
  EXPECT_EQ((*ledger)->Standing(testing::kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
  EXPECT_OK((*ledger)->ThawByForfeiting(wall_.budget_id(), 100000));
}

TEST_F(LedgerUpgradeTest, ALedgerWhoseEventsMakeNoSenseIsNotUpgraded) {
  auto raw =
      SqliteConnection::Open(DatabasePath(wall_.directory()), SqliteConnection::Mode::kReadWrite);
  ASSERT_OK(raw);
  ASSERT_OK(raw->RunScript("DELETE FROM event WHERE sequence = 3"));
  EXPECT_THAT(UpgradeTables(*raw), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_TRUE(*IsBeforeReceipts(*raw)) << "half an upgrade stayed";
}

}  // namespace
}  // namespace topicwall::ledger
