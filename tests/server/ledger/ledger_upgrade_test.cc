// What an upgrade makes of a ledger that an earlier version of the program wrote itself: the
// golden file says how it was made.
#include "server/ledger/ledger_upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "proto/ledger_chain.h"
#include "proto/receipt.h"
#include "server/ledger/audit_chain.h"
#include "server/ledger/ledger_backup.h"
#include "server/ledger/ledger_schema.h"
#include "server/ledger/spent_vector.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::ChargeRequestFor;
using testing::CollectedRelease;
using testing::EntriesSeenBy;
using ::testing::HasSubstr;
using testing::kNotesVersion;
using testing::LedgerKeysForTests;
using testing::StatusIs;
using testing::TemporaryDirectory;

std::string Key() { return LedgerKeysForTests().signing.public_key(); }

absl::StatusOr<std::unique_ptr<SqliteLedger>> Open(const std::string& directory) {
  auto lock = DataDirectoryLock::Acquire(directory);
  if (!lock.ok()) return lock.status();
  return SqliteLedger::Open(*std::move(lock), LedgerKeysForTests());
}

class LedgerUpgradeTest : public ::testing::Test {
 protected:
  LedgerUpgradeTest() {
    auto connection = SqliteConnection::Open(path(), SqliteConnection::Mode::kCreate);
    EXPECT_OK(connection);
    EXPECT_OK(connection->RunScript(
        testing::ReadWholeFile(TOPICWALL_GOLDEN_DIR "/ledger_version_2.sql")));
    auto row = connection->Prepare("SELECT ledger_id, budget_id, spent FROM ledger, budget");
    EXPECT_OK(row);
    EXPECT_TRUE(*row->Step());
    EXPECT_OK(WriteIdentityFile(directory_.path(), row->Bytes(0)));
    budget_id_ = row->Bytes(1);
    spent_ = row->Bytes(2);
    entries_ = *ReadEntries(*connection, budget_id_, 1, 1000);
  }

  std::string path() const { return DatabasePath(directory_.path()); }
  std::unique_ptr<SqliteLedger> Upgraded() {
    auto ledger = Open(directory_.path());
    EXPECT_OK(ledger);
    return ledger.ok() ? *std::move(ledger) : nullptr;
  }
  // The plan of three iterations.
  static v1::PlanState PlanOf(SqliteLedger& ledger) {
    const auto plans = ledger.ListPlans({.principal = "alice"});
    EXPECT_OK(plans);
    EXPECT_EQ(plans->plans.size(), 2);
    const auto plan = ledger.GetPlan("alice", plans->plans.front().plan_id());
    EXPECT_OK(plan);
    return *plan;
  }

  TemporaryDirectory directory_;
  std::string budget_id_;
  std::string spent_;                     // as version 2 had it
  std::vector<v1::LedgerEntry> entries_;  // as version 2 wrote them
};

TEST_F(LedgerUpgradeTest, AnOlderLedgerGetsItsKeyAndItsReceiptsWhenItIsFirstOpened) {
  const auto ledger = Upgraded();
  ASSERT_NE(ledger, nullptr);
  const auto standing = ledger->Standing(kNotesVersion);
  ASSERT_OK(standing);
  EXPECT_EQ(BytesOfCost(standing->spent), spent_);
  EXPECT_EQ(standing->signing_key, Key());
  const std::vector<v1::LedgerEntry> entries = EntriesSeenBy(*ledger, {"ann", true});
  v1::LedgerEvent last;
  ASSERT_TRUE(last.ParseFromString(entries.back().event()));
  EXPECT_EQ(last.signing_key_established().signing_key(), Key());

  const v1::PlanState plan = PlanOf(*ledger);
  const auto reserved = proto::OpenReceipt(plan.reservation_receipt(), Key());
  ASSERT_OK(reserved);
  // When it was reserved nothing else was spent: three times the price of one release.
  const v1::PlanReserved& terms = reserved->event.plan_reserved();
  ASSERT_EQ(reserved->receipt.spent_size(), terms.cost_size());
  for (int order = 0; order < terms.cost_size(); ++order) {
    EXPECT_EQ(reserved->receipt.spent(order), 3 * terms.cost(order)) << order;
  }
  CollectedRelease release;
  ASSERT_OK(ledger->ReadRelease("alice", plan.plan_id(), 1, release));
  EXPECT_OK(proto::OpenReceipt(release.header.release_receipt(), Key()));
  EXPECT_OK(ledger->VerifyWholeLedger());
}

TEST_F(LedgerUpgradeTest, WhatWasPaidAndNotComputedIsComputedAfterwards) {
  const auto ledger = Upgraded();
  ASSERT_NE(ledger, nullptr);
  const v1::PlanState plan = PlanOf(*ledger);
  const auto outcome = ledger->Charge(ChargeRequestFor(plan, 2));
  ASSERT_OK(outcome);
  EXPECT_TRUE(std::holds_alternative<ChargeReceipt>(*outcome));
  EXPECT_EQ(BytesOfCost(ledger->Standing(kNotesVersion)->spent), spent_) << "paid twice";
}

TEST_F(LedgerUpgradeTest, TheChainIsContinuedAndOnlyOnce) {
  ASSERT_NE(Upgraded(), nullptr);
  const auto ledger = Upgraded();
  const std::vector<v1::LedgerEntry> entries = EntriesSeenBy(*ledger, {"ann", true});
  ASSERT_EQ(entries.size(), entries_.size() + 1);
  for (size_t i = 0; i < entries_.size(); ++i) {
    EXPECT_EQ(entries[i].SerializeAsString(), entries_[i].SerializeAsString()) << i;
  }
}

TEST_F(LedgerUpgradeTest, AReaderDoesNotUpgradeAndSaysWhatDoes) {
  EXPECT_THAT(SqliteLedger::OpenReadOnly(directory_.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("start the server once")));
  ASSERT_NE(Upgraded(), nullptr);
  EXPECT_OK(SqliteLedger::OpenReadOnly(directory_.path()));
}

TEST_F(LedgerUpgradeTest, AnOlderLedgerCanBeBackedUpAndRestored) {
  TemporaryDirectory backup;
  ASSERT_OK(BackupLedger(directory_.path(), backup.path()));
  TemporaryDirectory restored;
  {
    auto lock = DataDirectoryLock::Acquire(restored.path());
    ASSERT_OK(lock);
    ASSERT_OK(InstallBackup(backup.path(), *lock, 99000));
  }
  const auto ledger = Open(restored.path());
  ASSERT_OK(ledger);
  EXPECT_EQ((*ledger)->Standing(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
  EXPECT_OK((*ledger)->ThawByForfeiting(budget_id_, 100000));
}

// alice's third release of version 3 is stored and not published, bob's second is lost.
TEST(LedgerUpgradeFromVersion3Test, WhatWasPendingIsFinishedAndWhatWasLostStaysLost) {
  TemporaryDirectory directory;
  {
    auto connection =
        SqliteConnection::Open(DatabasePath(directory.path()), SqliteConnection::Mode::kCreate);
    ASSERT_OK(connection);
    ASSERT_OK(connection->RunScript(
        testing::ReadWholeFile(TOPICWALL_GOLDEN_DIR "/ledger_version_3.sql")));
    auto row = connection->Prepare("SELECT ledger_id FROM ledger");
    ASSERT_OK(row);
    ASSERT_TRUE(*row->Step());
    ASSERT_OK(WriteIdentityFile(directory.path(), row->Bytes(0)));
    EXPECT_EQ(*OlderVersion(*connection), 3);
  }
  EXPECT_THAT(SqliteLedger::OpenReadOnly(directory.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("start the server once")));
  auto opened = Open(directory.path());
  ASSERT_OK(opened);
  SqliteLedger& ledger = **opened;
  const auto standing = ledger.Standing(kNotesVersion);
  ASSERT_OK(standing);
  EXPECT_EQ(standing->state, v1::CORPUS_STATE_OPEN);
  EXPECT_EQ(standing->overruns, 1);
  EXPECT_EQ(standing->unacknowledged_overruns, 0);
  EXPECT_EQ(standing->restarts, 0);
  EXPECT_EQ(standing->voided, 0);

  const v1::PlanState alices = ledger.ListPlans({.principal = "alice"})->plans.front();
  auto second = ledger.Charge(ChargeRequestFor(alices, 2));
  ASSERT_OK(second) << "no kernel was recorded, so any may compute it";
  EXPECT_TRUE(std::holds_alternative<ChargeReceipt>(*second));
  const auto unfinished = ledger.RestartUnfinished(140000);
  ASSERT_OK(unfinished);
  ASSERT_EQ(unfinished->size(), 1);
  EXPECT_OK(ledger.Publish(testing::PublicationOf(alices, unfinished->front().iteration, 3)));
  EXPECT_EQ(ledger.Standing(kNotesVersion)->restarts, 2);
  const v1::PlanState bobs = ledger.ListPlans({.principal = "bob"})->plans.front();
  EXPECT_TRUE(bobs.iterations(1).voided());
  EXPECT_THAT(ledger.Charge(ChargeRequestFor(bobs, 2)), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_OK(ledger.VerifyWholeLedger());
  opened->reset();
  EXPECT_OK(Open(directory.path()));
}

TEST_F(LedgerUpgradeTest, ALedgerWhoseEventsMakeNoSenseIsNotUpgraded) {
  auto raw = SqliteConnection::Open(path(), SqliteConnection::Mode::kReadWrite);
  ASSERT_OK(raw);
  ASSERT_OK(raw->RunScript("DELETE FROM event WHERE sequence = 3"));
  EXPECT_THAT(UpgradeTables(*raw), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(*OlderVersion(*raw), 2) << "half an upgrade stayed";
}

// The same for version 3: the golden file says how it was made.
class LedgerOfVersion3Test : public ::testing::Test {
 protected:
  LedgerOfVersion3Test() {
    auto connection =
        SqliteConnection::Open(DatabasePath(directory_.path()), SqliteConnection::Mode::kCreate);
    EXPECT_OK(connection);
    EXPECT_OK(connection->RunScript(
        testing::ReadWholeFile(TOPICWALL_GOLDEN_DIR "/ledger_version_3_restored.sql")));
    auto row = connection->Prepare("SELECT ledger_id FROM ledger");
    EXPECT_OK(row);
    EXPECT_TRUE(*row->Step());
    EXPECT_OK(WriteIdentityFile(directory_.path(), row->Bytes(0)));
  }

  TemporaryDirectory directory_;
};

TEST_F(LedgerOfVersion3Test, ItsWeightsAreKeptOnceAndItsPlansAreTheSameToTheByte) {
  {
    const auto ledger = Open(directory_.path());
    ASSERT_OK(ledger);
    EXPECT_OK((*ledger)->VerifyWholeLedger());
    const auto plans = (*ledger)->ListPlans({.principal = "alice"});
    ASSERT_OK(plans);
    ASSERT_EQ(plans->plans.size(), 2);
    EXPECT_EQ(plans->plans[1].plan().term_weights(), "") << "lists are without";
    const auto whole = (*ledger)->GetPlan("alice", plans->plans[1].plan_id());
    ASSERT_OK(whole);
    EXPECT_EQ(whole->plan().term_weights().size(), 12);
    // Asked again as it was asked then: it is the same plan.
    EXPECT_OK((*ledger)->Reserve(testing::ReserveRequestFor("alice", 2, whole->plan())));
  }
  auto raw =
      SqliteConnection::Open(DatabasePath(directory_.path()), SqliteConnection::Mode::kReadWrite);
  ASSERT_OK(raw);
  auto row = raw->Prepare("SELECT COUNT(*), (SELECT COUNT(*) FROM plan) FROM term_weights");
  ASSERT_OK(row);
  ASSERT_TRUE(*row->Step());
  EXPECT_EQ(row->Int64(0), 1);
  EXPECT_EQ(row->Int64(1), 3);
}

TEST_F(LedgerOfVersion3Test, ItsBudgetsAreSummedThoughNoneWasDeclared) {
  const auto ledger = Open(directory_.path());
  ASSERT_OK(ledger);
  const auto notes = (*ledger)->Standing(kNotesVersion);
  ASSERT_OK(notes);
  EXPECT_EQ(notes->sum.budgets_size(), 1);
  EXPECT_DOUBLE_EQ(notes->sum.epsilon(), 4.88);
}

TEST_F(LedgerOfVersion3Test, ThatItWasRestoredIsRemembered) {
  const auto ledger = Open(directory_.path());
  ASSERT_OK(ledger);
  const auto notes = (*ledger)->Standing(kNotesVersion);
  ASSERT_OK(notes);
  ASSERT_EQ(notes->restorations.size(), 1);
  EXPECT_EQ(notes->restorations[0].thawed_at_ms, 1600);
  EXPECT_EQ(notes->restorations[0].thaw.head(), "") << "which was not recorded then";
  EXPECT_EQ((*ledger)->Standing(testing::kLettersVersion)->restorations.size(), 0);
}

TEST_F(LedgerOfVersion3Test, AReaderDoesNotUpgradeAndSaysWhatDoes) {
  EXPECT_THAT(SqliteLedger::OpenReadOnly(directory_.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("start the server once")));
}

}  // namespace
}  // namespace topicwall::ledger
