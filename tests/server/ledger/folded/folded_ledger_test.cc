// What the ledger's files promise; what it does as a ledger is the contract's
// (privacy_ledger_test.cc).
#include "server/ledger/folded/folded_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/synchronization/notification.h"
#include "accountant/ledger/custodian_acts.h"
#include "proto/strict_parse.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/ledger/ledger_backup.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "server/store/stores.h"
#include "tests/server/store/forwarding_store.h"
#include "tests/support/clock/clock_set_back.h"
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
using ::testing::Not;
using testing::ReadWholeFile;
using testing::Release;
using testing::ReserveRequestFor;
using testing::SealingKeyForTests;
using testing::SmallHeader;
using testing::SmallPlan;
using testing::StatusIs;
using testing::WriteWholeFile;

// A store whose next Append waits, as on a slow disk, until it is let go.
class HeldStore final : public testing::ForwardingStore {
 public:
  HeldStore(std::unique_ptr<store::EventStore> store, absl::Notification* began,
            absl::Notification* let_go)
      : ForwardingStore(std::move(store)), began_(began), let_go_(let_go) {}

  absl::Status Append(const store::Change& change) override {
    began_->Notify();
    let_go_->WaitForNotification();
    return ForwardingStore::Append(change);
  }

 private:
  absl::Notification* const began_;
  absl::Notification* const let_go_;
};

// As a database that others write to. Tells when its chains have been looked at three times.
class LookedAtStore final : public testing::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  bool OthersWrite() const override { return true; }
  absl::StatusOr<std::vector<store::Chain>> Chains() override {
    if (watched_ && ++looks_ == 3) looked_.set_value();
    return ForwardingStore::Chains();
  }
  std::future<void> Watch() {
    watched_ = true;
    return looked_.get_future();
  }

 private:
  std::promise<void> looked_;
  std::atomic<bool> watched_ = false;
  std::atomic<int> looks_ = 0;
};

// A database whose every row stands where it was, and whose chains are told to end at their second
// event.
class TwoAnswersStore final : public testing::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  absl::StatusOr<std::vector<store::Chain>> Chains() override {
    auto chains = ForwardingStore::Chains();
    for (store::Chain& chain : *chains) {
      chain = {chain.budget_id, 2, ReadEntries(chain.budget_id, 2, 1)->front().head()};
    }
    return chains;
  }
};

// Whoever asks for a request is told that it was bob's first.
class OnePlanStore final : public testing::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  absl::StatusOr<std::optional<store::PlanRecord>> FindPlanByRequest(
      absl::string_view, absl::string_view request_id) override {
    return ForwardingStore::FindPlanByRequest("bob", request_id);
  }
};

// With a field that this program does not know.
v1::LedgerEvent JoinedAndMore() {
  v1::LedgerEvent event;
  event.mutable_corpus_joined()->set_corpus("more");
  event.GetReflection()->MutableUnknownFields(&event)->AddVarint(1000, 1);
  return event;
}

// An event that this program does not know the whole of, at the end of a budget's chain.
void AppendNewer(store::EventStore& store, const LedgerSeals& seals, const std::string& budget_id,
                 v1::LedgerEvent event = JoinedAndMore()) {
  KeptState state;
  ASSERT_OK(state.TakeFrom(store, nullptr));
  event.set_time_ms(5000);
  accountant::ledger::Events events;
  Add(state.ledger, budget_id, event, &events);
  store::Change change{.name = "newer"};
  ASSERT_OK(AddEvents(state.ledger, events, seals, &change));
  ASSERT_OK(store.Append(change));
}

class FoldedLedgerTest : public ::testing::Test {
 protected:
  std::string database() const { return store::DatabasePath(wall_.directory()); }
  std::string identity() const { return store::IdentityPath(wall_.directory()); }

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
    EXPECT_OK(wall_->Store(testing::Noised(std::move(stored)), SmallHeader(2), {1, 2}));
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
    ASSERT_OK_AND_ASSIGN(
        auto connection,
        store::SqliteConnection::Open(database(), store::SqliteConnection::Mode::kReadWrite));
    ASSERT_OK(connection.RunScript("PRAGMA foreign_keys = OFF"));
    ASSERT_OK(connection.RunScript(sql)) << sql;
  }

  LedgerForTests wall_;
};

TEST_F(FoldedLedgerTest, AMissingLedgerIsAnErrorAndNeverAFreshBudget) {
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

TEST_F(FoldedLedgerTest, NoLedgerIsCreatedWhereThereIsOrWasOne) {
  wall_.Close();
  for (const bool keep_database : {true, false}) {
    if (!keep_database) std::filesystem::remove(database());
    ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(wall_.directory()));
    EXPECT_THAT(FoldedLedger::Create(std::move(lock), LedgerKeysForTests()),
                StatusIs(absl::StatusCode::kAlreadyExists));
  }
  std::filesystem::remove(identity());
  EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("open-budget")));
}

TEST_F(FoldedLedgerTest, AnInterruptedCreationIsStartedAgain) {
  testing::TemporaryDirectory fresh;
  WriteWholeFile(store::DatabasePath(fresh.path()) + ".new", "half a database");
  ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(fresh.path()));
  EXPECT_OK(FoldedLedger::Create(std::move(lock), LedgerKeysForTests()));
}

TEST_F(FoldedLedgerTest, ACreationInterruptedBeforeItsIdentityFileIsFinished) {
  testing::TemporaryDirectory fresh;
  const auto create = [&] {
    auto lock = store::DataDirectoryLock::Acquire(fresh.path());
    EXPECT_OK(lock);
    return FoldedLedger::Create(*std::move(lock), LedgerKeysForTests());
  };
  ASSERT_OK(create());
  const std::string id = ReadWholeFile(store::IdentityPath(fresh.path()));
  std::filesystem::remove(store::IdentityPath(fresh.path()));
  ASSERT_OK(create());
  EXPECT_EQ(ReadWholeFile(store::IdentityPath(fresh.path())), id);
  // A ledger with a budget that lost the file is not touched.
  wall_.Close();
  std::filesystem::remove(identity());
  ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(wall_.directory()));
  EXPECT_THAT(FoldedLedger::Create(std::move(lock), LedgerKeysForTests()),
              StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_FALSE(std::filesystem::exists(identity()));
}

TEST_F(FoldedLedgerTest, OneWriterAtATime) {
  EXPECT_THAT(store::DataDirectoryLock::Acquire(wall_.directory()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("holds")));
}

TEST_F(FoldedLedgerTest, ReadersSeeTheLedgerMoveAndCannotMoveIt) {
  ASSERT_OK_AND_ASSIGN(auto reader, FoldedLedger::OpenReadOnly(wall_.directory()));
  const v1::PlanState plan = Reserve("alice", 1, 3);
  Release(*wall_, plan, 1);
  EXPECT_EQ(reader->StatusOfCorpus(kNotesVersion)->releases_reserved, 3);
  EXPECT_EQ(reader->StatusOfCorpus(kNotesVersion)->head,
            wall_->StatusOfCorpus(kNotesVersion)->head);
  EXPECT_OK(reader->VerifyWholeLedger());
  CollectedRelease read;
  EXPECT_OK(reader->ReadRelease("alice", plan.plan_id(), 1, read));
  for (const absl::Status& refused :
       {reader->Reserve(ReserveRequestFor("bob", 1, SmallPlan(1))).status(),
        reader->Charge(ChargeRequestFor(plan, 2)).status(),
        reader->Cancel("alice", plan.plan_id(), 1).status(),
        reader->AcknowledgeOverruns(kNotesVersion, 1)}) {
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
  }
  // Without a server, too.
  wall_.Close();
  reader.reset();
  EXPECT_OK(FoldedLedger::OpenReadOnly(wall_.directory()));
  wall_.Reopen();
}

TEST_F(FoldedLedgerTest, AnotherKeyIsNoticedAtOnce) {
  Populate();
  const std::string shown = Shown();
  wall_.Close();
  ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(wall_.directory()));
  EXPECT_THAT(FoldedLedger::Open(std::move(lock), LedgerKeysForTests(2)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("key")));
  wall_.Reopen();
  EXPECT_EQ(Shown(), shown);
}

TEST_F(FoldedLedgerTest, AfterAChangeOfKeysOnlyTheNewOneOpens) {
  const v1::PlanState plan = Reserve("alice", 1, 3);
  EXPECT_OK(wall_->Charge(ChargeRequestFor(plan, 1)));
  ASSERT_OK(wall_->ReplaceSealingKey(SealingKeyForTests(2)));
  EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(wall_.directory()));
  ASSERT_OK_AND_ASSIGN(auto opened, FoldedLedger::Open(std::move(lock), LedgerKeysForTests(2)));
  EXPECT_OK(opened->Charge(ChargeRequestFor(plan, 1)));
}

TEST_F(FoldedLedgerTest, ReleaseKeysRestSealedAndAreGoneOnceTheReleaseIsStored) {
  const v1::PlanState plan = Reserve("alice", 1, 3);
  auto outcome = wall_->Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(outcome);
  const auto exposed = std::get<ChargeReceipt>(*outcome).release_key().ExposeBytes();
  const std::string key(exposed.begin(), exposed.end());
  std::string sealed;
  {
    ASSERT_OK_AND_ASSIGN(
        auto connection,
        store::SqliteConnection::Open(database(), store::SqliteConnection::Mode::kReadOnly));
    ASSERT_OK_AND_ASSIGN(auto row, connection.Prepare("SELECT sealed_key FROM open_charge"));
    ASSERT_TRUE(*row.Step());
    sealed = row.Bytes(0);
  }
  const auto everything = [&] {
    return ReadWholeFile(database()) + ReadWholeFile(database() + "-wal");
  };
  EXPECT_EQ(everything().find(key), std::string::npos);
  EXPECT_NE(everything().find(sealed), std::string::npos);
  ASSERT_OK(wall_->Store(testing::Noised(std::move(outcome)), SmallHeader(2), {1, 2}));
  EXPECT_EQ(everything().find(sealed), std::string::npos);
  EXPECT_EQ(everything().find(key), std::string::npos);
}

TEST_F(FoldedLedgerTest, ADamagedReleaseKeyLosesItsReleaseAndNoOther) {
  const v1::PlanState plan = Reserve("alice", 1, 3);
  ASSERT_OK(wall_->Charge(ChargeRequestFor(plan, 1)));
  ASSERT_OK(wall_->Charge(ChargeRequestFor(plan, 2)));
  wall_.Close();
  // Moved to another place, a sealed key is as good as damaged.
  Edit(
      "UPDATE open_charge SET sealed_key = (SELECT sealed_key FROM open_charge ORDER BY place "
      "DESC) "
      "WHERE place = 1");
  wall_.Reopen();
  ASSERT_OK_AND_ASSIGN(const auto outcome, wall_->Charge(ChargeRequestFor(plan, 1)));
  EXPECT_TRUE(std::holds_alternative<GivenUp>(outcome)) << "to be voided at its last instant";
  EXPECT_OK(wall_->Charge(ChargeRequestFor(plan, 2)));
  wall_.Reopen();
}

// It would go out under the custodian's receipt.
class ReplacedReleaseTest : public FoldedLedgerTest {
 protected:
  // Two iterations, stored. In the first one's place comes the second, whole, and with digests that
  // are right.
  void SetUp() override {
    plan_ = Reserve("alice", 1, 2);
    for (const int iteration : {1, 2}) {
      auto outcome = wall_->Charge(ChargeRequestFor(plan_, iteration));
      ASSERT_OK(outcome);
      const float value = static_cast<float>(iteration);
      ASSERT_OK(wall_->Store(testing::Noised(std::move(outcome)), SmallHeader(2), {value, value}));
    }
  }
  void Replace() {
    Edit(
        "UPDATE open_charge SET (release_sha256, header_sha256, sealed_key) = (SELECT "
        "release_sha256, header_sha256, sealed_key FROM open_charge ORDER BY place DESC) WHERE "
        "place = 1");
  }

  v1::PlanState plan_;
};

TEST_F(ReplacedReleaseTest, IsNotOpenedNorBackedUp) {
  wall_.Close();
  Replace();
  const auto anothers = StatusIs(absl::StatusCode::kDataLoss, HasSubstr("somebody else put it"));
  EXPECT_THAT(wall_.TryToOpen(), anothers);
  EXPECT_THAT(FoldedLedger::OpenReadOnly(wall_.directory(), LedgerKeysForTests()), anothers);
  const testing::TemporaryDirectory backup;
  EXPECT_THAT(BackupLedger(wall_.directory(), backup.path(), testing::LedgerKeysForTests()),
              anothers);
  EXPECT_OK(store::RequireNoStore(backup.path()));
}

TEST_F(ReplacedReleaseTest, BesideAServerItIsNeitherVerifiedNorBegunAnew) {
  const int64_t events = wall_->StatusOfCorpus(kNotesVersion)->events;
  Replace();
  EXPECT_THAT(FoldedLedger::OpenReadOnly(wall_.directory(), LedgerKeysForTests()),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(wall_->RestartUnfinished(50000), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(wall_->StatusOfCorpus(kNotesVersion)->events, events);
}

TEST_F(FoldedLedgerTest, AnEditedTableDoesNotOpen) {
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
      "INSERT INTO event VALUES (NULL, 'other', 1, x'', x'', x'', x'')",
      "UPDATE event SET head = zeroblob(32) WHERE place = (SELECT MAX(place) FROM event)",
      "UPDATE sqlite_sequence SET seq = seq - 1",
      "UPDATE sqlite_sequence SET seq = seq + 1",
      "UPDATE event SET budget_id = 'other'",
      "DELETE FROM event",
      "DELETE FROM sqlite_sequence",
      "DELETE FROM open_charge WHERE sealed_key <> x''",
      "DELETE FROM open_charge WHERE release_sha256 <> x''",
      "UPDATE open_charge SET sequence = 1 WHERE release_sha256 <> x''",
      "INSERT INTO open_charge SELECT NULL, budget_id, 4, x'00', x'', x'' FROM event "
      "WHERE sequence = 1",
      "UPDATE plan SET principal = 'carol' WHERE principal = 'alice'",
      "DELETE FROM plan WHERE principal = 'bob'",
      "UPDATE ledger SET ledger_id = '00000000000000000000000000000000'",
      "DELETE FROM ledger",
      "PRAGMA user_version = 0",
      "PRAGMA application_id = 0",
      "DROP TABLE open_charge",
      "DROP TABLE plan",
  };
  for (const std::string& edit : edits) {
    SCOPED_TRACE(edit);
    WriteWholeFile(database(), intact);
    Edit(edit);
    EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("restore")));
    EXPECT_THAT(FoldedLedger::OpenReadOnly(wall_.directory()),
                StatusIs(absl::StatusCode::kDataLoss));
  }
  WriteWholeFile(database(), intact);
  EXPECT_OK(wall_.TryToOpen());
}

TEST_F(FoldedLedgerTest, ATruncatedFileDoesNotOpen) {
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
TEST_F(FoldedLedgerTest, AFlippedByteNeverGivesBudgetBackAndNeverChangesARelease) {
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
    auto reader = FoldedLedger::OpenReadOnly(wall_.directory());
    if (!reader.ok()) {
      EXPECT_THAT(reader, ::testing::AnyOf(StatusIs(absl::StatusCode::kDataLoss),
                                           StatusIs(absl::StatusCode::kUnavailable),
                                           StatusIs(absl::StatusCode::kFailedPrecondition)));
      ++noticed;
      continue;
    }
    ASSERT_OK_AND_ASSIGN(
        auto budget, (*reader)->Budget({.corpus_version = kNotesVersion, .reader = {"ann", true}}));
    EXPECT_EQ(budget.SerializeAsString(), shown) << at;
    CollectedRelease read;
    if ((*reader)->ReadRelease("alice", plan.plan_id(), 1, read).ok()) {
      EXPECT_EQ(read.bytes, original.bytes);
      EXPECT_EQ(read.header.SerializeAsString(), original.header.SerializeAsString());
    }
  }
  EXPECT_GT(noticed, 30);
}

TEST_F(FoldedLedgerTest, ADamagedReleaseIsDataLossAndPausesItsPlan) {
  const std::vector<std::string> edits = {
      "DELETE FROM blob WHERE length(bytes) = 24",
      "UPDATE blob SET bytes = zeroblob(24) WHERE length(bytes) = 24",
      "UPDATE blob SET bytes = zeroblob(4) WHERE length(bytes) = 24",
      "UPDATE blob SET part = 1 WHERE length(bytes) = 24",
      "UPDATE blob SET bytes = x'0a' WHERE length(bytes) > 24",
      "DELETE FROM blob WHERE length(bytes) > 24",
  };
  int number = 0;
  for (const std::string& edit : edits) {
    SCOPED_TRACE(edit);
    const v1::PlanState plan = Reserve("alice", ++number, 2);
    Release(*wall_, plan, 1, {1, 2, 3, 4, 5, static_cast<float>(number)});
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

// The rows beside the chain say under which request a plan was reserved, and have no seal.
TEST_F(FoldedLedgerTest, ARequestThatIsToldToBeAnothersPlanIsToldNothingOfIt) {
  Reserve("bob", 1, 3);
  wall_.Close();
  ASSERT_OK_AND_ASSIGN(auto opened,
                       store::OpenStore(*store::DataDirectoryLock::Acquire(wall_.directory())));
  ASSERT_OK_AND_ASSIGN(
      auto ledger,
      FoldedLedger::Fold(std::make_unique<OnePlanStore>(std::move(opened)), LedgerKeysForTests()));
  EXPECT_OK(ledger->Reserve(ReserveRequestFor("bob", 1, SmallPlan(3))));
  EXPECT_THAT(ledger->Reserve(ReserveRequestFor("alice", 1, SmallPlan(3))),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(FoldedLedgerTest, VerifyingReadsEveryStoredRelease) {
  Populate();
  EXPECT_OK(wall_->VerifyWholeLedger());
  wall_.Close();
  Edit(
      "DELETE FROM blob WHERE sha256 = (SELECT release_sha256 FROM open_charge WHERE "
      "release_sha256 <> x'')");
  wall_.Reopen();
  EXPECT_THAT(wall_->VerifyWholeLedger(), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(FoldedLedgerTest, VerifyingBesideAServerIsOfOneMoment) {
  const v1::PlanState plan = Populate();
  ASSERT_OK_AND_ASSIGN(const auto reader,
                       FoldedLedger::OpenReadOnly(wall_.directory(), LedgerKeysForTests()));
  auto charged = wall_->Charge(ChargeRequestFor(plan, 4));
  ASSERT_OK(charged);
  ASSERT_OK(wall_->Store(testing::Noised(std::move(charged)), SmallHeader(2), {1, 2}));
  EXPECT_OK(reader->VerifyWholeLedger());
}

// Whoever asks feels no act of anybody else's: and sees none of it before it is durable.
TEST_F(FoldedLedgerTest, QuestionsAreAnsweredWhileAnActIsBeingWritten) {
  const v1::PlanState plan = Reserve("alice", 1, 3);
  wall_.Close();
  absl::Notification began;
  absl::Notification let_go;
  ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(wall_.directory()));
  ASSERT_OK_AND_ASSIGN(auto opened, store::OpenStore(std::move(lock)));
  ASSERT_OK_AND_ASSIGN(auto ledger, FoldedLedger::Fold(std::make_unique<HeldStore>(
                                                           std::move(opened), &began, &let_go),
                                                       LedgerKeysForTests()));
  std::thread charging([&] { EXPECT_OK(ledger->Charge(ChargeRequestFor(plan, 1))); });
  began.WaitForNotification();
  const int64_t before = ledger->StatusOfCorpus(kNotesVersion)->events;
  EXPECT_OK(ledger->Budget({.corpus_version = kNotesVersion, .reader = {"ann", true}}));
  EXPECT_OK(ledger->Price(testing::PurseOf("alice"), SmallPlan(1)));
  EXPECT_EQ(ledger->GetPlan("alice", plan.plan_id())->iterations_size(), 0);
  EXPECT_EQ(ledger->ListPlans({.principal = "alice"})->plans.size(), 1);
  EXPECT_OK(ledger->CancelExpired({{"notes", 7}}, 3000));
  EXPECT_EQ(testing::EntriesSeenBy(*ledger, {"ann", true}).size(), before);
  let_go.Notify();
  charging.join();
  EXPECT_EQ(ledger->StatusOfCorpus(kNotesVersion)->events, before + 1);
}

// Or a gate would go on telling an old budget for as long as the clock was set back.
TEST_F(FoldedLedgerTest, AClockSetBackDoesNotStopTheLooksAtWhatOthersAppend) {
  wall_.Close();
  ASSERT_OK_AND_ASSIGN(auto opened,
                       store::OpenStore(*store::DataDirectoryLock::Acquire(wall_.directory())));
  auto store = std::make_unique<LookedAtStore>(std::move(opened));
  LookedAtStore& watched = *store;
  ASSERT_OK_AND_ASSIGN(auto ledger, FoldedLedger::Fold(std::move(store), LedgerKeysForTests()));
  const std::string heads = ledger->AwaitMove("", absl::ZeroDuration());
  const testing::ClockSetBack set_back;
  const std::future<void> looked = watched.Watch();
  std::thread asking([&] { ledger->AwaitMove(heads, absl::InfiniteDuration()); });
  EXPECT_EQ(looked.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  EXPECT_OK(ledger->Reserve(ReserveRequestFor("alice", 1, SmallPlan(1))));
  asking.join();
}

// Six hundred charges more than are read at once.
TEST_F(FoldedLedgerTest, ALongChainIsFoldedInSeveralReads) {
  const v1::PlanState plan = [&] {
    auto reserved = wall_->Reserve(ReserveRequestFor("alice", 1, SmallPlan(600, 1000)));
    EXPECT_OK(reserved);
    return *reserved;
  }();
  wall_.Close();
  {
    // Charged by hand, and voided: so many durable transactions would only exercise the disk.
    ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(wall_.directory()));
    auto store = store::OpenStore(std::move(lock));
    ASSERT_OK(store);
    const LedgerSeals seals = testing::SealsForTests(**store);
    KeptState state;
    ASSERT_OK(state.TakeFrom(**store, &seals));
    accountant::ledger::Events events;
    for (int iteration = 1; iteration <= 600; ++iteration) {
      v1::LedgerEvent event;
      event.set_time_ms(5);
      event.set_principal("alice");
      event.mutable_iteration_charged()->set_plan_id(plan.plan_id());
      event.mutable_iteration_charged()->set_iteration(iteration);
      Add(state.ledger, wall_.budget_id(), event, &events);
      event.mutable_release_voided()->set_plan_id(plan.plan_id());
      event.mutable_release_voided()->set_iteration(iteration);
      event.mutable_release_voided()->set_ground(v1::ReleaseVoided::FAILED);
      Add(state.ledger, wall_.budget_id(), event, &events);
    }
    store::Change change{.name = "many"};
    ASSERT_OK(AddEvents(state.ledger, events, seals, &change));
    ASSERT_OK((*store)->Append(change));
  }
  wall_.Reopen();
  EXPECT_EQ(testing::EntriesSeenBy(*wall_, {"ann", true}).size(), 1203);
  EXPECT_EQ(wall_->GetPlan("alice", plan.plan_id())->iterations_size(), 600);
}

// Whoever may write where the ledger is kept, and has no key: a plan that costs nothing, say.
TEST_F(FoldedLedgerTest, AnEventThatWasNotWrittenUnderTheCustodiansKeyIsRefused) {
  wall_.Close();
  testing::ForgePlan(**store::OpenStore(*store::DataDirectoryLock::Acquire(wall_.directory())),
                     std::string(32, 'f'));
  EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                          HasSubstr("not written under this custodian's key")));
}

// As a newer program's is, whose server shares the ledger or was put back: not an intruder's, and
// a restore would lose what is spent.
TEST_F(FoldedLedgerTest, AnEventOfANewerProgramIsNoTamperingAndNothingIsToldUntilTheUpgrade) {
  Reserve("alice", 1, 3);
  wall_.Close();
  {
    auto store = store::OpenStore(*store::DataDirectoryLock::Acquire(wall_.directory()));
    ASSERT_OK(store);
    AppendNewer(**store, testing::SealsForTests(**store), wall_.budget_id());
  }
  const auto newer =
      StatusIs(absl::StatusCode::kFailedPrecondition,
               AllOf(HasSubstr("says more than the server's program knows"),
                     HasSubstr(absl::StrCat("ledger entry 4 of budget ", wall_.budget_id())),
                     HasSubstr("upgrade"), Not(HasSubstr("restore")), Not(HasSubstr("backup")),
                     Not(HasSubstr("custodian"))));
  EXPECT_THAT(wall_.TryToOpen(), newer);
  EXPECT_THAT(FoldedLedger::OpenReadOnly(wall_.directory(), LedgerKeysForTests()), newer);
  EXPECT_THAT(FoldedLedger::OpenReadOnly(wall_.directory(), std::nullopt), newer);
  const testing::TemporaryDirectory backup;
  EXPECT_THAT(BackupLedger(wall_.directory(), backup.path(), LedgerKeysForTests()), newer);
}

// Of a kind that this program knows, on a ground that it does not: what it does to the budget, only
// the program says that wrote it.
TEST_F(FoldedLedgerTest, AnEventOnAGroundThatHasNoNameHereIsANewerPrograms) {
  Reserve("alice", 1, 3);
  wall_.Close();
  {
    auto store = store::OpenStore(*store::DataDirectoryLock::Acquire(wall_.directory()));
    ASSERT_OK(store);
    v1::LedgerEvent event;
    event.mutable_budget_thawed()->set_ground(static_cast<v1::BudgetThawed::Ground>(4));
    AppendNewer(**store, testing::SealsForTests(**store), wall_.budget_id(), event);
  }
  const absl::Status refused = wall_.TryToOpen();
  EXPECT_TRUE(proto::IsWrittenByNewer(refused)) << refused;
  EXPECT_THAT(refused.message(), AllOf(HasSubstr("ledger entry 4"), HasSubstr("upgrade")));
}

// The server that was left behind, beside one that was upgraded.
TEST_F(FoldedLedgerTest, AServerThatWasLeftBehindAnswersNothingAndChargesNothing) {
  const v1::PlanState plan = Reserve("alice", 1, 3);
  wall_.Close();
  auto opened = store::OpenStore(*store::DataDirectoryLock::Acquire(wall_.directory()));
  ASSERT_OK(opened);
  store::EventStore* const store = opened->get();
  ASSERT_OK_AND_ASSIGN(auto ledger,
                       FoldedLedger::Fold(std::make_unique<LookedAtStore>(*std::move(opened)),
                                          LedgerKeysForTests()));
  ASSERT_OK(ledger->Charge(ChargeRequestFor(plan, 1)));
  AppendNewer(*store, testing::SealsForTests(*store), wall_.budget_id());
  const auto newer = [](const absl::Status& status) {
    return proto::IsWrittenByNewer(status) &&
           !absl::StrContains(status.message(), "not its custodian's");
  };
  const int64_t length = store->Chains()->front().length;
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_TRUE(newer(ledger->Charge(ChargeRequestFor(plan, 2)).status()));
    EXPECT_TRUE(newer(ledger->Reserve(ReserveRequestFor("bob", 1, SmallPlan(1))).status()));
    EXPECT_TRUE(newer(ledger->Cancel("alice", plan.plan_id(), 4000).status()));
    EXPECT_TRUE(newer(ledger->GetPlan("alice", plan.plan_id()).status()));
    EXPECT_TRUE(newer(ledger->StatusOfCorpus(kNotesVersion).status()));
    EXPECT_TRUE(
        newer(ledger->Budget({.corpus_version = kNotesVersion, .reader = {"ann", true}}).status()));
    EXPECT_TRUE(newer(ledger->VerifyWholeLedger()));
  }
  EXPECT_EQ(store->Chains()->front().length, length) << "nothing was written behind it";
}

TEST_F(FoldedLedgerTest, AnUnknownFieldOfWhoHasNoKeyIsStillTampering) {
  wall_.Close();
  auto store = store::OpenStore(*store::DataDirectoryLock::Acquire(wall_.directory()));
  ASSERT_OK(store);
  ASSERT_OK_AND_ASSIGN(const LedgerSeals another,
                       LedgerSeals::Of(random::SecretKey(std::array<uint8_t, 32>{7}),
                                       (*store)->ReadIdentity()->ledger_id));
  AppendNewer(**store, another, wall_.budget_id());
  store->reset();
  EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                          HasSubstr("not written under this custodian's key")));
}

// A trial over a copy of the same documents, say, whose budget is a hundred times as large.
TEST_F(FoldedLedgerTest, AChainOfAnotherLedgerUnderTheSameKeyIsRefused) {
  LedgerForTests trial;
  trial.Close();
  wall_.Close();
  Edit(absl::StrCat("ATTACH '", store::DatabasePath(trial.directory()),
                    "' AS trial; DELETE FROM event; INSERT INTO event SELECT * FROM trial.event; "
                    "UPDATE sqlite_sequence SET seq = (SELECT MAX(place) FROM event)"));
  EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kDataLoss,
                                          HasSubstr("not written under this custodian's key")));
}

// Or what was spent since could be cut out, and the row that was seen last be left where it was.
TEST_F(FoldedLedgerTest, WhatWasSeenIsHeldAgainstWhatIsFoldedAndNotAgainstRows) {
  Reserve("alice", 1, 3);
  wall_.Close();
  ASSERT_OK_AND_ASSIGN(auto honest, store::OpenStoreReadOnly(wall_.directory()));
  ASSERT_OK_AND_ASSIGN(const auto seen, honest->Chains());
  EXPECT_OK(KeptState().TakeFrom(*honest, nullptr, seen));
  TwoAnswersStore lying(std::move(honest));
  EXPECT_OK(KeptState().TakeFrom(lying, nullptr)) << "to who saw nothing it is whole";
  EXPECT_THAT(KeptState().TakeFrom(lying, nullptr, seen),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("went back")));
}

TEST_F(FoldedLedgerTest, AnOlderProgramsLedgerIsRefusedInOneSentence) {
  wall_.Close();
  for (const char* id : {"0x54574c31", "0x54574c32"}) {  // "TWL1", "TWL2"
    Edit(absl::StrCat("PRAGMA application_id = ", id));
    EXPECT_THAT(wall_.TryToOpen(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                            HasSubstr("before the first release")));
  }
}

// A restore would lose what was charged since the backup.
TEST_F(FoldedLedgerTest, ALedgerOfANewerFormatIsLeftToTheProgramThatWroteIt) {
  wall_.Close();
  Edit("PRAGMA user_version = 2");
  const auto newer = StatusIs(absl::StatusCode::kFailedPrecondition,
                              AllOf(HasSubstr("is of format 2, written by a newer version"),
                                    HasSubstr("use the program that wrote it, and restore nothing"),
                                    Not(HasSubstr("topicwall-admin restore"))));
  EXPECT_THAT(wall_.TryToOpen(), newer);
  EXPECT_THAT(FoldedLedger::OpenReadOnly(wall_.directory()), newer);
  const testing::TemporaryDirectory backup;
  EXPECT_THAT(BackupLedger(wall_.directory(), backup.path(), LedgerKeysForTests()), newer);
}

// Two that have read the same: one moves the chain, the other is refused and changes nothing.
TEST_F(FoldedLedgerTest, AnActOnAChainThatMovedMeanwhileIsRefused) {
  wall_.Close();
  ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(wall_.directory()));
  auto store = store::OpenStore(std::move(lock));
  ASSERT_OK(store);
  const LedgerSeals seals = testing::SealsForTests(**store);
  KeptState state;
  ASSERT_OK(state.TakeFrom(**store, &seals));
  ASSERT_OK_AND_ASSIGN(
      const auto events,
      Decide(state.ledger, accountant::ledger::JoinAct{.budget_id = wall_.budget_id(),
                                                       .corpus = "letters",
                                                       .corpus_version = testing::kLettersVersion,
                                                       .now_ms = 5}));
  store::Change change{.name = "join"};
  ASSERT_OK(AddEvents(state.ledger, events, seals, &change));
  ASSERT_OK((*store)->Append(change));
  EXPECT_THAT((*store)->Append(change), StatusIs(absl::StatusCode::kAborted));
  const store::OpenCharge row{.budget_id = wall_.budget_id(), .sequence = 2, .sealed_key = "k"};
  EXPECT_THAT(
      (*store)->Append({.name = "void", .open_charges = {{.before = row, .after = std::nullopt}}}),
      StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ((*store)->Chains()->front().length, state.ledger.budgets().front().length() + 1);
}

}  // namespace
}  // namespace topicwall::ledger
