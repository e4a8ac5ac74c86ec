// What the ledger's files promise; what it does as a ledger is the contract's
// (privacy_ledger_test.cc).
#include "server/ledger/sqlite_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using ::testing::AllOf;
using testing::ChargeRequestFor;
using testing::CollectedRelease;
using ::testing::HasSubstr;
using testing::kNotesVersion;
using testing::LedgerForTests;
using testing::LedgerKeysForTests;
using testing::ReadWholeFile;
using testing::Release;
using testing::ReserveRequestFor;
using testing::SealingKeyForTests;
using testing::SmallHeader;
using testing::SmallPlan;
using testing::StatusIs;
using testing::WriteWholeFile;

class SqliteLedgerTest : public ::testing::Test {
 protected:
  std::string database() const { return DatabasePath(wall_.directory()); }
  std::string identity() const { return IdentityPath(wall_.directory()); }

  v1::PlanState Reserve(const std::string& principal, int number, int iterations) {
    auto plan = wall_->Reserve(ReserveRequestFor(principal, number, SmallPlan(iterations)));
    EXPECT_OK(plan);
    return plan.ok() ? *plan : v1::PlanState();
  }

  // Two analysts, a cancelled plan, and every state of an iteration but lost.
  v1::PlanState Populate() {
    const v1::PlanState plan = Reserve("alice", 1, 5);
    Release(*wall_, plan, 1);
    EXPECT_OK(wall_->Charge(ChargeRequestFor(plan, 2)));
    auto stored = wall_->Charge(ChargeRequestFor(plan, 3));
    EXPECT_OK(stored);
    EXPECT_OK(
        wall_->Store(ChargeReceiptTestPeer::Noised(std::get<ChargeReceipt>(*std::move(stored))),
                     SmallHeader(), {1, 2}));
    EXPECT_OK(wall_->Cancel("bob", Reserve("bob", 1, 2).plan_id(), 4000));
    Reserve("bob", 2, 1);
    return plan;
  }

  std::string Shown() {
    auto budget = wall_->Budget({.corpus_version = kNotesVersion, .reader = {"ann", true}});
    EXPECT_OK(budget);
    return budget.ok() ? budget->SerializeAsString() : "";
  }

  void Edit(const std::string& sql) {
    auto connection = SqliteConnection::Open(database(), SqliteConnection::Mode::kReadWrite);
    ASSERT_OK(connection);
    ASSERT_OK(connection->RunScript("PRAGMA foreign_keys = OFF"));
    ASSERT_OK(connection->RunScript(sql)) << sql;
  }

  LedgerForTests wall_;
};

TEST_F(SqliteLedgerTest, AMissingLedgerIsAnErrorAndNeverAFreshBudget) {
  Populate();
  wall_.Close();
  const std::string kept = ReadWholeFile(database());

  std::filesystem::remove(database());
  EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                          AllOf(HasSubstr("ledger.db"), HasSubstr("restore"))));
  EXPECT_FALSE(std::filesystem::exists(database()));

  WriteWholeFile(database(), kept);
  const std::string id = ReadWholeFile(identity());
  std::filesystem::remove(identity());
  EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                          AllOf(HasSubstr("ledger.id"), HasSubstr("restore"))));

  WriteWholeFile(identity(), std::string(32, '0') + "\n");
  EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("restore")));
  WriteWholeFile(identity(), id);
  EXPECT_OK(wall_.TryToOpen());
}

TEST_F(SqliteLedgerTest, NoLedgerIsCreatedWhereThereIsOrWasOne) {
  wall_.Close();
  for (const bool keep_database : {true, false}) {
    if (!keep_database) std::filesystem::remove(database());
    auto lock = DataDirectoryLock::Acquire(wall_.directory());
    ASSERT_OK(lock);
    EXPECT_THAT(SqliteLedger::Create(*std::move(lock), LedgerKeysForTests()),
                StatusIs(absl::StatusCode::kAlreadyExists));
  }
  std::filesystem::remove(identity());
  EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("open-budget")));
}

TEST_F(SqliteLedgerTest, AnInterruptedCreationIsStartedAgain) {
  testing::TemporaryDirectory fresh;
  WriteWholeFile(DatabasePath(fresh.path()) + ".new", "half a database");
  auto lock = DataDirectoryLock::Acquire(fresh.path());
  ASSERT_OK(lock);
  EXPECT_OK(SqliteLedger::Create(*std::move(lock), LedgerKeysForTests()));
}

TEST_F(SqliteLedgerTest, ACreationInterruptedBeforeItsIdentityFileIsFinished) {
  testing::TemporaryDirectory fresh;
  const auto create = [&] {
    auto lock = DataDirectoryLock::Acquire(fresh.path());
    EXPECT_OK(lock);
    return SqliteLedger::Create(*std::move(lock), LedgerKeysForTests());
  };
  ASSERT_OK(create());
  const std::string id = ReadWholeFile(IdentityPath(fresh.path()));
  std::filesystem::remove(IdentityPath(fresh.path()));
  ASSERT_OK(create());
  EXPECT_EQ(ReadWholeFile(IdentityPath(fresh.path())), id);
  // A ledger with a budget that lost the file is not touched.
  wall_.Close();
  std::filesystem::remove(identity());
  auto lock = DataDirectoryLock::Acquire(wall_.directory());
  ASSERT_OK(lock);
  EXPECT_THAT(SqliteLedger::Create(*std::move(lock), LedgerKeysForTests()),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_FALSE(std::filesystem::exists(identity()));
}

TEST_F(SqliteLedgerTest, OneWriterAtATime) {
  EXPECT_THAT(DataDirectoryLock::Acquire(wall_.directory()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("holds")));
}

TEST_F(SqliteLedgerTest, ReadersSeeTheLedgerMoveAndCannotMoveIt) {
  auto reader = SqliteLedger::OpenReadOnly(wall_.directory());
  ASSERT_OK(reader);
  const v1::PlanState plan = Reserve("alice", 1, 3);
  Release(*wall_, plan, 1);
  EXPECT_EQ((*reader)->Standing(kNotesVersion)->releases_reserved, 3);
  EXPECT_EQ((*reader)->Standing(kNotesVersion)->head, wall_->Standing(kNotesVersion)->head);
  EXPECT_OK((*reader)->VerifyWholeLedger());
  CollectedRelease read;
  EXPECT_OK((*reader)->ReadRelease("alice", plan.plan_id(), 1, read));
  for (const absl::Status& refused :
       {(*reader)->Reserve(ReserveRequestFor("bob", 1, SmallPlan(1))).status(),
        (*reader)->Charge(ChargeRequestFor(plan, 2)).status(),
        (*reader)->Cancel("alice", plan.plan_id(), 1).status(),
        (*reader)->AcknowledgeOverruns(kNotesVersion, 1)}) {
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
  }
  // Without a server, too.
  wall_.Close();
  reader->reset();
  EXPECT_OK(SqliteLedger::OpenReadOnly(wall_.directory()));
  wall_.Reopen();
}

TEST_F(SqliteLedgerTest, AnotherKeyIsNoticedAtOnce) {
  Populate();
  const std::string shown = Shown();
  wall_.Close();
  auto lock = DataDirectoryLock::Acquire(wall_.directory());
  ASSERT_OK(lock);
  EXPECT_THAT(SqliteLedger::Open(*std::move(lock), LedgerKeysForTests(2)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("key")));
  wall_.Reopen();
  EXPECT_EQ(Shown(), shown);
}

TEST_F(SqliteLedgerTest, AfterAChangeOfKeysOnlyTheNewOneOpens) {
  const v1::PlanState plan = Reserve("alice", 1, 3);
  EXPECT_OK(wall_->Charge(ChargeRequestFor(plan, 1)));
  ASSERT_OK(wall_->ReplaceSealingKey(SealingKeyForTests(2)));
  EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kFailedPrecondition));
  auto lock = DataDirectoryLock::Acquire(wall_.directory());
  ASSERT_OK(lock);
  auto opened = SqliteLedger::Open(*std::move(lock), LedgerKeysForTests(2));
  ASSERT_OK(opened);
  EXPECT_OK((*opened)->Charge(ChargeRequestFor(plan, 1)));
}

TEST_F(SqliteLedgerTest, ReleaseKeysRestSealedAndAreGoneOnceTheReleaseIsStored) {
  const v1::PlanState plan = Reserve("alice", 1, 3);
  auto outcome = wall_->Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(outcome);
  const auto exposed = std::get<ChargeReceipt>(*outcome).release_key().ExposeBytes();
  const std::string key(exposed.begin(), exposed.end());
  std::string sealed;
  {
    auto connection = SqliteConnection::Open(database(), SqliteConnection::Mode::kReadOnly);
    ASSERT_OK(connection);
    auto row = connection->Prepare("SELECT sealed_release_key FROM charge");
    ASSERT_OK(row);
    ASSERT_TRUE(*row->Step());
    sealed = row->Bytes(0);
  }
  const auto everything = [&] {
    return ReadWholeFile(database()) + ReadWholeFile(database() + "-wal");
  };
  EXPECT_EQ(everything().find(key), std::string::npos);
  EXPECT_NE(everything().find(sealed), std::string::npos);
  ASSERT_OK(
      wall_->Store(ChargeReceiptTestPeer::Noised(std::get<ChargeReceipt>(*std::move(outcome))),
                   SmallHeader(), {1, 2}));
  EXPECT_EQ(everything().find(sealed), std::string::npos);
  EXPECT_EQ(everything().find(key), std::string::npos);
}

TEST_F(SqliteLedgerTest, ADamagedReleaseKeyLosesItsReleaseAndNoOther) {
  const v1::PlanState plan = Reserve("alice", 1, 3);
  ASSERT_OK(wall_->Charge(ChargeRequestFor(plan, 1)));
  ASSERT_OK(wall_->Charge(ChargeRequestFor(plan, 2)));
  wall_.Close();
  // Moved to another place, a sealed key is as good as damaged.
  Edit(
      "UPDATE charge SET sealed_release_key = "
      "(SELECT sealed_release_key FROM charge WHERE iteration = 2) WHERE iteration = 1");
  wall_.Reopen();
  const auto outcome = wall_->Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(outcome);
  EXPECT_TRUE(std::holds_alternative<GivenUp>(*outcome)) << "to be voided at its last instant";
  EXPECT_OK(wall_->Charge(ChargeRequestFor(plan, 2)));
  wall_.Reopen();
}

TEST_F(SqliteLedgerTest, AnEditedTableDoesNotOpen) {
  Populate();
  wall_.Close();
  const std::string intact = ReadWholeFile(database());
  const std::vector<std::string> edits = {
      "DELETE FROM event WHERE sequence = 1",
      "DELETE FROM event WHERE sequence = (SELECT MAX(sequence) FROM event)",
      "DELETE FROM event WHERE sequence = 5",
      "UPDATE event SET sequence = sequence + 1000 WHERE sequence = 5",
      "UPDATE event SET event = x'00' WHERE sequence = 4",
      "UPDATE event SET salt = zeroblob(16) WHERE sequence = 4",
      "UPDATE event SET budget_id = 'other' WHERE sequence = 5",
      "INSERT INTO event VALUES ('other', 1, x'', x'', x'', x'')",
      "UPDATE budget SET spent = zeroblob(length(spent))",
      "UPDATE budget SET spent = zeroblob(8)",
      "UPDATE budget SET head = zeroblob(32)",
      "UPDATE budget SET events = events - 1",
      "UPDATE budget SET policy = x'00'",
      "UPDATE budget SET privacy_unit = 2",
      "UPDATE budget SET restored_at = 3",
      "UPDATE budget SET signing_key = zeroblob(32)",
      "UPDATE receipt SET spent = zeroblob(length(spent))",
      "UPDATE receipt SET sequence = 1 WHERE iteration = 2",
      "DELETE FROM receipt WHERE iteration = 1",
      "INSERT INTO receipt SELECT 'other', act, iteration, budget_id, sequence, spent "
      "FROM receipt WHERE iteration = 1",
      "DELETE FROM budget",
      "UPDATE analyst SET spent = zeroblob(length(spent)) WHERE principal = 'alice'",
      "DELETE FROM analyst WHERE principal = 'bob'",
      "INSERT INTO analyst SELECT budget_id, 'carol', spent FROM analyst LIMIT 1",
      "UPDATE corpus SET corpus = 'letters'",
      "UPDATE corpus SET overruns = 1",
      "DELETE FROM corpus",
      "UPDATE plan SET cost = zeroblob(length(cost)) WHERE principal = 'alice'",
      "UPDATE plan SET iterations = 50 WHERE principal = 'alice'",
      "UPDATE plan SET reserved_iterations = 1 WHERE principal = 'alice'",
      "UPDATE plan SET state = 1 WHERE state = 2",
      "UPDATE plan SET principal = 'carol' WHERE principal = 'alice'",
      "UPDATE plan SET spec = x'00' WHERE principal = 'alice'",
      "UPDATE plan SET reserved_at_ms = 1",
      "DELETE FROM plan WHERE principal = 'bob'",
      "DELETE FROM charge WHERE iteration = 2",
      "UPDATE charge SET iteration = 5 WHERE iteration = 2",
      "UPDATE charge SET request_digest = zeroblob(32) WHERE iteration = 2",
      "UPDATE charge SET charged_at_ms = 0",
      "UPDATE charge SET state = 2 WHERE iteration = 1",
      "UPDATE charge SET state = 3 WHERE iteration = 3",
      "UPDATE charge SET release_sha256 = zeroblob(32) WHERE iteration = 1",
      "UPDATE charge SET readable_at_ms = 0",
      "UPDATE ledger SET ledger_id = '00000000000000000000000000000000'",
      "DELETE FROM ledger",
      "PRAGMA user_version = 1",
      "PRAGMA application_id = 0",
      "DROP TABLE release_chunk; DROP TABLE charge",
  };
  for (const std::string& edit : edits) {
    SCOPED_TRACE(edit);
    WriteWholeFile(database(), intact);
    Edit(edit);
    EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("restore")));
    EXPECT_THAT(SqliteLedger::OpenReadOnly(wall_.directory()),
                StatusIs(absl::StatusCode::kDataLoss));
  }
  WriteWholeFile(database(), intact);
  EXPECT_OK(wall_.TryToOpen());
}

TEST_F(SqliteLedgerTest, ATruncatedFileDoesNotOpen) {
  Populate();
  wall_.Close();
  const std::string intact = ReadWholeFile(database());
  for (std::size_t size = 0; size < intact.size(); size += 1 + intact.size() / 97) {
    WriteWholeFile(database(), intact.substr(0, size));
    EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kDataLoss)) << size;
  }
}

// 512 positions spread over the file. A flip either is noticed, at opening or when the
// release it lies in is read, or lies where no value is.
TEST_F(SqliteLedgerTest, AFlippedByteNeverGivesBudgetBackAndNeverChangesARelease) {
  const v1::PlanState plan = Populate();
  v1::BudgetStatus told;
  ASSERT_TRUE(told.ParseFromString(Shown()));
  told.clear_signed_head();  // readers have no key to sign with
  const std::string shown = told.SerializeAsString();
  CollectedRelease original;
  ASSERT_OK(wall_->ReadRelease("alice", plan.plan_id(), 1, original));
  original.header.clear_charge_receipt();
  original.header.clear_release_receipt();
  wall_.Close();
  const std::string intact = ReadWholeFile(database());
  int noticed = 0;
  for (int trial = 0; trial < 512; ++trial) {
    const std::size_t at = intact.size() * trial / 512 + trial % 7;
    std::string flipped = intact;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << trial % 8));
    for (const char* suffix : {"-wal", "-shm"}) std::filesystem::remove(database() + suffix);
    WriteWholeFile(database(), flipped);
    auto reader = SqliteLedger::OpenReadOnly(wall_.directory());
    if (!reader.ok()) {
      EXPECT_THAT(reader, ::testing::AnyOf(StatusIs(absl::StatusCode::kDataLoss),
                                           StatusIs(absl::StatusCode::kUnavailable),
                                           StatusIs(absl::StatusCode::kFailedPrecondition)));
      ++noticed;
      continue;
    }
    auto budget = (*reader)->Budget({.corpus_version = kNotesVersion, .reader = {"ann", true}});
    ASSERT_OK(budget);
    EXPECT_EQ(budget->SerializeAsString(), shown) << at;
    CollectedRelease read;
    if ((*reader)->ReadRelease("alice", plan.plan_id(), 1, read).ok()) {
      EXPECT_EQ(read.bytes, original.bytes);
      EXPECT_EQ(read.header.SerializeAsString(), original.header.SerializeAsString());
    }
  }
  EXPECT_GT(noticed, 30);
}

TEST_F(SqliteLedgerTest, ADamagedReleaseIsDataLossAndPausesItsPlan) {
  const std::vector<std::string> edits = {
      "DELETE FROM release_chunk",
      "UPDATE release_chunk SET statistics = zeroblob(length(statistics))",
      "UPDATE release_chunk SET statistics = zeroblob(4)",
      "UPDATE charge SET header = x'0a'",
      "UPDATE charge SET header = NULL",
  };
  int number = 0;
  for (const std::string& edit : edits) {
    SCOPED_TRACE(edit);
    const v1::PlanState plan = Reserve("alice", ++number, 2);
    Release(*wall_, plan, 1);
    wall_.Close();
    Edit(edit);
    wall_.Reopen();
    EXPECT_THAT(wall_->VerifyWholeLedger(), StatusIs(absl::StatusCode::kDataLoss));
    CollectedRelease read;
    for (int again = 0; again < 2; ++again) {
      EXPECT_THAT(wall_->ReadRelease("alice", plan.plan_id(), 1, read),
                  StatusIs(absl::StatusCode::kDataLoss));
    }
    EXPECT_TRUE(read.bytes.empty()) << "checked before the first byte goes out";
    EXPECT_EQ(wall_->GetPlan("alice", plan.plan_id())->state(), v1::PlanState::PAUSED);
    wall_.Reopen();
  }
}

TEST_F(SqliteLedgerTest, VerifyingReadsEveryStoredRelease) {
  Populate();
  EXPECT_OK(wall_->VerifyWholeLedger());
  wall_.Close();
  Edit(
      "DELETE FROM release_chunk WHERE charge_id = (SELECT charge_id FROM charge WHERE state = 2)");
  wall_.Reopen();
  EXPECT_THAT(wall_->VerifyWholeLedger(), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace topicwall::ledger
