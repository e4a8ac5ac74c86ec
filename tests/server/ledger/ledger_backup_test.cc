#include "server/ledger/ledger_backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace ledger_backup_test {

using testing::ChargeRequestFor;
using testing::CollectedRelease;
using ::testing::HasSubstr;
using testing::kNotesVersion;
using testing::LedgerForTests;
using testing::LedgerKeysForTests;
using testing::ReadWholeFile;
using testing::Release;
using testing::ReserveRequestFor;
using testing::SmallHeader;
using testing::SmallPlan;
using testing::StatusIs;
using testing::TemporaryDirectory;
using testing::WriteWholeFile;

absl::Status Install(const std::string& backup, const std::string& directory) {
  auto lock = store::DataDirectoryLock::Acquire(directory);
  if (!lock.ok()) return lock.status();
  return InstallBackup(backup, *lock, LedgerKeysForTests(), 50000);
}

absl::StatusOr<std::unique_ptr<FoldedLedger>> Open(const std::string& directory) {
  auto lock = store::DataDirectoryLock::Acquire(directory);
  if (!lock.ok()) return lock.status();
  return FoldedLedger::Open(*std::move(lock), LedgerKeysForTests());
}

class LedgerBackupTest : public ::testing::Test {
 protected:
  v1::PlanState Reserve(int number, int iterations) {
    auto plan = wall_->Reserve(ReserveRequestFor("alice", number, SmallPlan(iterations)));
    EXPECT_OK(plan);
    return plan.ok() ? *plan : v1::PlanState();
  }

  LedgerForTests wall_;
  TemporaryDirectory backup_;
  TemporaryDirectory restored_;
};

TEST_F(LedgerBackupTest, ABackupIsMadeBesideARunningServerAndInstalledFrozen) {
  const v1::PlanState plan = Reserve(1, 4);
  Release(*wall_, plan, 1);
  ASSERT_OK(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()));
  EXPECT_OK(wall_->Charge(ChargeRequestFor(plan, 2))) << "the server goes on";
  ASSERT_OK(Install(backup_.path(), restored_.path()));
  ASSERT_OK_AND_ASSIGN(auto ledger, Open(restored_.path()));
  EXPECT_EQ(ledger->StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);

  // Reading works,
  CollectedRelease read;
  EXPECT_OK(ledger->ReadRelease("alice", plan.plan_id(), 1, read));
  ASSERT_OK_AND_ASSIGN(auto outcome, ledger->Charge(ChargeRequestFor(plan, 1)));
  EXPECT_TRUE(std::holds_alternative<AlreadyPublished>(outcome));
  EXPECT_EQ(testing::EntriesSeenBy(*ledger, {"ann", true}).size(), 6);
  EXPECT_OK(ledger->Budget({.corpus_version = kNotesVersion, .reader = {"ann", true}}));
  EXPECT_EQ(ledger->GetPlan("alice", plan.plan_id())->state(), v1::PlanState::PAUSED);
  // and nothing else does.
  for (const absl::Status& refused :
       {ledger->Reserve(ReserveRequestFor("alice", 9, SmallPlan(1))).status(),
        ledger->Price(testing::PurseOf("alice"), SmallPlan(1)).status(),
        ledger->Charge(ChargeRequestFor(plan, 2)).status(),
        ledger->Cancel("alice", plan.plan_id(), 1).status(),
        ledger->AcknowledgeOverruns(kNotesVersion, 1),
        ledger->JoinBudget(wall_.budget_id(), "letters", "letters, first 1", 1)}) {
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("frozen")));
  }
}

std::set<std::string> NamesIn(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.insert(entry.path().filename());
  }
  return names;
}

TEST_F(LedgerBackupTest, ABackupIsTwoFilesAndAFailedOneIsNone) {
  ASSERT_OK(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()));
  EXPECT_THAT(NamesIn(backup_.path()), ::testing::ElementsAre("ledger.db", "ledger.id"));
  ASSERT_OK(Install(backup_.path(), restored_.path()));
  EXPECT_THAT(NamesIn(restored_.path()), ::testing::ElementsAre("ledger.db", "ledger.id"));
  TemporaryDirectory damaged, nothing;
  WriteWholeFile(store::DatabasePath(damaged.path()),
                 ReadWholeFile(store::DatabasePath(backup_.path())));
  WriteWholeFile(store::IdentityPath(damaged.path()), std::string(32, '0'));
  EXPECT_THAT(Install(damaged.path(), nothing.path()), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(NamesIn(nothing.path()), ::testing::IsEmpty());
}

TEST_F(LedgerBackupTest, ABackupHoldsNoReleaseKeyAndItsInterruptedReleasesAreLost) {
  const v1::PlanState plan = Reserve(1, 4);
  ASSERT_OK(wall_->Charge(ChargeRequestFor(plan, 1)));
  std::string sealed;
  {
    ASSERT_OK_AND_ASSIGN(auto connection,
                         store::SqliteConnection::Open(store::DatabasePath(wall_.directory()),
                                                       store::SqliteConnection::Mode::kReadOnly));
    ASSERT_OK_AND_ASSIGN(auto row, connection.Prepare("SELECT sealed_key FROM open_charge"));
    ASSERT_TRUE(*row.Step());
    sealed = row.Bytes(0);
  }
  ASSERT_OK(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()));
  EXPECT_NE(ReadWholeFile(store::DatabasePath(wall_.directory())).find(sealed), std::string::npos);
  EXPECT_EQ(ReadWholeFile(store::DatabasePath(backup_.path())).find(sealed), std::string::npos);
  EXPECT_OK(wall_->Charge(ChargeRequestFor(plan, 1))) << "only the copy has lost it";

  ASSERT_OK(Install(backup_.path(), restored_.path()));
  ASSERT_OK_AND_ASSIGN(auto ledger, Open(restored_.path()));
  EXPECT_THAT(ledger->Charge(ChargeRequestFor(plan, 1)), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(LedgerBackupTest, AStoredReleaseSurvivesABackup) {
  const v1::PlanState plan = Reserve(1, 4);
  auto outcome = wall_->Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(outcome);
  ASSERT_OK(wall_->Store(testing::Noised(std::move(outcome)), SmallHeader(2), {1, 2}));
  const std::string head = wall_->StatusOfCorpus(kNotesVersion)->head;
  ASSERT_OK(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()));
  ASSERT_OK(Install(backup_.path(), restored_.path()));
  ASSERT_OK_AND_ASSIGN(auto ledger, Open(restored_.path()));
  EXPECT_EQ(ledger->RestartUnfinished(50000)->size(), 0) << "nothing is published while frozen";
  ASSERT_OK(ledger->ThawByHead(head, testing::ReceiptsOf(*wall_, {"alice"}), 60000));
  EXPECT_EQ(ledger->RestartUnfinished(70000)->size(), 1);
  EXPECT_OK(ledger->Publish(testing::PublicationOf(plan, 1)));
  CollectedRelease read;
  EXPECT_OK(ledger->ReadRelease("alice", plan.plan_id(), 1, read));
}

TEST_F(LedgerBackupTest, ABackupCannotBeUsedWhereItLies) {
  ASSERT_OK(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()));
  EXPECT_THAT(Open(backup_.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("restore")));
  EXPECT_THAT(FoldedLedger::OpenReadOnly(backup_.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(LedgerBackupTest, NothingIsWrittenOverALedger) {
  ASSERT_OK(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()));
  EXPECT_THAT(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()),
              StatusIs(absl::StatusCode::kAlreadyExists));
  wall_.Close();
  const std::string before = ReadWholeFile(store::DatabasePath(wall_.directory()));
  EXPECT_THAT(Install(backup_.path(), wall_.directory()),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("move it away")));
  EXPECT_EQ(ReadWholeFile(store::DatabasePath(wall_.directory())), before);
  // A write-ahead log of the old ledger would be replayed into the new one.
  std::filesystem::remove(store::DatabasePath(wall_.directory()));
  WriteWholeFile(store::DatabasePath(wall_.directory()) + "-wal", "old");
  EXPECT_THAT(Install(backup_.path(), wall_.directory()),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("-wal")));
  std::filesystem::remove(store::DatabasePath(wall_.directory()) + "-wal");
  EXPECT_OK(Install(backup_.path(), wall_.directory())) << "its own ledger.id is there";
  EXPECT_OK(wall_.TryToOpen());
}

TEST_F(LedgerBackupTest, TheBackupOfAnotherLedgerIsNotInstalled) {
  LedgerForTests another;
  ASSERT_OK(BackupLedger(another.directory(), backup_.path(), LedgerKeysForTests()));
  wall_.Close();
  std::filesystem::remove(store::DatabasePath(wall_.directory()));
  EXPECT_THAT(Install(backup_.path(), wall_.directory()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another ledger")));
  EXPECT_FALSE(std::filesystem::exists(store::DatabasePath(wall_.directory())));
}

TEST_F(LedgerBackupTest, APlainCopyIsNotABackup) {
  wall_.Close();
  std::filesystem::copy(wall_.directory(), backup_.path());
  EXPECT_THAT(Install(backup_.path(), restored_.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("plain copy")));
  EXPECT_THAT(Install(restored_.path(), restored_.path()), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(LedgerBackupTest, DamageIsNeitherBackedUpNorInstalled) {
  Reserve(1, 4);
  ASSERT_OK(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()));
  const std::string intact = ReadWholeFile(store::DatabasePath(backup_.path()));
  const auto edit = [](const std::string& directory, const std::string& sql) {
    ASSERT_OK_AND_ASSIGN(auto connection,
                         store::SqliteConnection::Open(store::DatabasePath(directory),
                                                       store::SqliteConnection::Mode::kReadWrite));
    ASSERT_OK(connection.RunScript(sql));
  };
  wall_.Close();
  const std::string own = ReadWholeFile(store::DatabasePath(wall_.directory()));
  for (const char* damage : {"UPDATE event SET head = zeroblob(32)",
                             "DELETE FROM event WHERE place = (SELECT MAX(place) FROM event)"}) {
    SCOPED_TRACE(damage);
    WriteWholeFile(store::DatabasePath(backup_.path()), intact);
    edit(backup_.path(), damage);
    EXPECT_THAT(Install(backup_.path(), restored_.path()), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_FALSE(std::filesystem::exists(store::DatabasePath(restored_.path())));
    WriteWholeFile(store::DatabasePath(wall_.directory()), own);
    edit(wall_.directory(), damage);
    TemporaryDirectory second;
    EXPECT_THAT(BackupLedger(wall_.directory(), second.path(), LedgerKeysForTests()),
                StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_FALSE(std::filesystem::exists(store::DatabasePath(second.path())));
  }
}

TEST_F(LedgerBackupTest, EveryRestoreIsAnEpoch) {
  ASSERT_OK(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()));
  ASSERT_OK(Install(backup_.path(), restored_.path()));
  TemporaryDirectory second_backup, twice;
  ASSERT_OK(BackupLedger(restored_.path(), second_backup.path(), LedgerKeysForTests()));
  ASSERT_OK(Install(second_backup.path(), twice.path()));
  ASSERT_OK_AND_ASSIGN(auto ledger, Open(twice.path()));
  std::vector<int64_t> epochs;
  for (const auto& entry : testing::EntriesSeenBy(*ledger, {"alice", false})) {
    v1::LedgerEvent event;
    ASSERT_TRUE(event.ParseFromString(entry.event()));
    if (event.has_budget_restored()) epochs.push_back(event.budget_restored().epoch());
  }
  EXPECT_THAT(epochs, ::testing::ElementsAre(2, 3));
}

void Edit(const std::string& directory, const std::string& sql) {
  ASSERT_OK_AND_ASSIGN(auto connection,
                       store::SqliteConnection::Open(store::DatabasePath(directory),
                                                     store::SqliteConnection::Mode::kReadWrite));
  ASSERT_OK(connection.RunScript(sql)) << sql;
}

// Or a budget that was opened after the backup could be opened once more, without a word of it.
TEST_F(LedgerBackupTest, ThatALedgerWasRestoredIsNotTakenBack) {
  ASSERT_OK(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()));
  ASSERT_OK(Install(backup_.path(), restored_.path()));
  Edit(restored_.path(), "UPDATE ledger SET epoch = 1");
  EXPECT_THAT(Open(restored_.path()), StatusIs(absl::StatusCode::kFailedPrecondition));
  // With what the ledger was known by before.
  Edit(restored_.path(), absl::StrCat("ATTACH '", store::DatabasePath(backup_.path()),
                                      "' AS backup; UPDATE ledger SET key_check = (SELECT "
                                      "key_check FROM backup.ledger)"));
  EXPECT_THAT(Open(restored_.path()), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("epoch")));
  EXPECT_THAT(FoldedLedger::OpenReadOnly(restored_.path()), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(LedgerBackupTest, ThatALedgerWithoutABudgetWasRestoredIsNotTakenBackEither) {
  const TemporaryDirectory empty;
  {
    ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(empty.path()));
    ASSERT_OK(FoldedLedger::Create(std::move(lock), LedgerKeysForTests()));
  }
  ASSERT_OK(BackupLedger(empty.path(), backup_.path(), LedgerKeysForTests()));
  ASSERT_OK(Install(backup_.path(), restored_.path()));
  EXPECT_OK(Open(restored_.path()));
  Edit(restored_.path(), "UPDATE ledger SET epoch = 1");
  EXPECT_THAT(Open(restored_.path()), StatusIs(absl::StatusCode::kFailedPrecondition));
}

// The charge was at 3001.
TEST_F(LedgerBackupTest, ARestoreIsNotDatedBeforeWhatItRestores) {
  ASSERT_OK(wall_->Charge(ChargeRequestFor(Reserve(1, 4), 1)));
  ASSERT_OK(BackupLedger(wall_.directory(), backup_.path(), LedgerKeysForTests()));
  {
    ASSERT_OK_AND_ASSIGN(const auto lock, store::DataDirectoryLock::Acquire(restored_.path()));
    ASSERT_OK(InstallBackup(backup_.path(), lock, LedgerKeysForTests(), /*now_ms=*/5));
  }
  ASSERT_OK_AND_ASSIGN(auto ledger, Open(restored_.path()));
  const auto entries = testing::EntriesSeenBy(*ledger, {"alice", false});
  v1::LedgerEvent restored;
  ASSERT_TRUE(restored.ParseFromString(entries.back().event()));
  ASSERT_TRUE(restored.has_budget_restored());
  EXPECT_EQ(restored.time_ms(), 3001);
}

}  // namespace ledger_backup_test
}  // namespace topicwall::ledger
