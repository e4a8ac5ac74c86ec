// What is refused in an export, case by case, is in ledger_thaw_test.cc.
#include "server/ledger/lost_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/ledger/ledger_backup.h"
#include "server/ledger/ledger_schema.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

TEST(LostHistoryTest, TellsWhatHappenedBeyondTheBackupAndWhereTheBudgetStoodThen) {
  testing::LedgerForTests lost;
  testing::TemporaryDirectory backup, data;
  ASSERT_OK(lost->Reserve(testing::ReserveRequestFor("alice", 1, testing::SmallPlan(2))));
  ASSERT_OK(BackupLedger(lost.directory(), backup.path()));
  auto plan = lost->Reserve(testing::ReserveRequestFor("bob", 1, testing::SmallPlan(3)));
  ASSERT_OK(plan);
  ASSERT_OK(lost->Cancel("bob", plan->plan_id(), 3000));
  v1::LedgerExport events = testing::ExportOf(*lost);
  {
    auto lock = DataDirectoryLock::Acquire(data.path());
    ASSERT_OK(lock);
    ASSERT_OK(InstallBackup(backup.path(), *lock, 50000));
  }
  auto connection =
      SqliteConnection::Open(DatabasePath(data.path()), SqliteConnection::Mode::kReadOnly);
  ASSERT_OK(connection);
  const auto budget = FindBudget(*connection, lost.budget_id());
  ASSERT_OK(budget);

  const auto history = ReadLostHistory(*connection, *budget, events);
  ASSERT_OK(history);
  ASSERT_EQ(history->beyond.size(), 2);
  EXPECT_EQ(history->beyond[0].plan_reserved().plan_id(), plan->plan_id());
  EXPECT_TRUE(history->beyond[1].has_plan_cancelled());
  EXPECT_EQ(history->picture.spent, lost->Standing(testing::kNotesVersion)->spent);
  EXPECT_EQ(history->picture.plans.size(), 2);

  v1::LedgerExport cut = events;
  cut.mutable_entries()->RemoveLast();
  EXPECT_THAT(ReadLostHistory(*connection, *budget, cut),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cut")));
  events.clear_signed_head();
  EXPECT_THAT(ReadLostHistory(*connection, *budget, events),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("earlier version")));
}

}  // namespace
}  // namespace topicwall::ledger
