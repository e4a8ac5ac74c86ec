#include "server/ledger/folded/receipt_signer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/ledger_chain.h"
#include "proto/receipt.h"
#include "proto/signature.h"
#include "proto/signed_head.h"
#include "server/ledger/folded/kept_chains.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "server/store/stores.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using proto::OpenedReceipt;
using proto::OpenReceipt;
using testing::ChargeRequestFor;
using testing::CollectedRelease;
using testing::EntriesSeenBy;
using testing::kNotesVersion;
using testing::LedgerForTests;
using testing::LedgerKeysForTests;
using testing::PublicationOf;
using testing::Release;
using testing::ReserveRequestFor;
using testing::SealingKeyForTests;
using testing::SmallPlan;
using testing::StatusIs;

std::string Key() { return LedgerKeysForTests().signing.public_key(); }

v1::ReleaseHeader HeaderOf(PrivacyLedger& ledger, const v1::PlanState& plan, int iteration) {
  CollectedRelease release;
  EXPECT_OK(ledger.ReadRelease("alice", plan.plan_id(), iteration, release));
  return release.header;
}

class ReceiptSignerTest : public ::testing::Test {
 protected:
  v1::PlanState Reserve(int number, int iterations) {
    auto plan = wall_->Reserve(ReserveRequestFor("alice", number, SmallPlan(iterations)));
    EXPECT_OK(plan);
    return *plan;
  }
  OpenedReceipt Open(const v1::SignedReceipt& receipt) {
    auto opened = OpenReceipt(receipt, Key());
    EXPECT_OK(opened);
    return opened.ok() ? *opened : OpenedReceipt();
  }
  LedgerForTests wall_;
};

TEST_F(ReceiptSignerTest, AReservationsReceiptSaysWhatWasReservedAndWhatIsSpent) {
  const v1::PlanState plan = Reserve(1, 3);
  const OpenedReceipt opened = Open(plan.reservation_receipt());
  const v1::PlanReserved& act = opened.event.plan_reserved();
  EXPECT_EQ(act.plan_id(), plan.plan_id());
  EXPECT_EQ(act.spec().gaussian().noise_multiplier(), 20);
  EXPECT_EQ(act.spec().iterations(), 3);
  EXPECT_EQ(opened.event.principal(), "alice");
  EXPECT_EQ(opened.event.budget_id(), wall_.budget_id());
  EXPECT_EQ(opened.receipt.custodian_id(), "library");
  EXPECT_EQ(opened.receipt.epsilon(), 2.44);
  EXPECT_EQ(opened.receipt.delta(), 1e-6);
  ASSERT_OK_AND_ASSIGN(const auto budget, wall_->Budget({.corpus_version = testing::kNotesVersion,
                                                         .reader = {"ann", true}}));
  EXPECT_EQ(std::vector<uint64_t>(opened.receipt.spent().begin(), opened.receipt.spent().end()),
            std::vector<uint64_t>(budget.spent().begin(), budget.spent().end()));
  EXPECT_EQ(opened.receipt.odometer_epsilon(), budget.odometer_epsilon());
  EXPECT_EQ(opened.receipt.entry().head(), budget.chain_head());
  EXPECT_FALSE(plan.has_cancellation_receipt());
}

TEST_F(ReceiptSignerTest, AReleaseBringsTheReceiptsOfItsChargeAndOfItself) {
  const v1::PlanState plan = Reserve(1, 3);
  Release(*wall_, plan, 2);
  const v1::ReleaseHeader header = HeaderOf(*wall_, plan, 2);
  const OpenedReceipt charge = Open(header.charge_receipt());
  EXPECT_EQ(charge.event.iteration_charged().iteration(), 2);
  EXPECT_EQ(charge.event.iteration_charged().request_digest(), header.request_digest());
  EXPECT_EQ(charge.event.time_ms(), header.charged_at_ms());
  EXPECT_EQ(charge.receipt.plan().spec().gaussian().noise_multiplier(), 20);
  const OpenedReceipt release = Open(header.release_receipt());
  EXPECT_EQ(release.event.release_published().release_sha256(), header.statistics_sha256());
  EXPECT_EQ(release.event.time_ms(), header.readable_at_ms());
  EXPECT_EQ(release.receipt.previous_head(), charge.receipt.entry().head());
}

TEST_F(ReceiptSignerTest, ReceiptsAreEntriesOfTheChainThatReadersSee) {
  const v1::PlanState plan = Reserve(1, 2);
  Release(*wall_, plan, 1);
  const v1::ReleaseHeader header = HeaderOf(*wall_, plan, 1);
  ASSERT_OK_AND_ASSIGN(const auto cancelled, wall_->Cancel("alice", plan.plan_id(), 9000));
  const std::vector<v1::LedgerEntry> chain = EntriesSeenBy(*wall_, {"alice", false});
  for (const v1::SignedReceipt& receipt :
       {plan.reservation_receipt(), header.charge_receipt(), header.release_receipt(),
        cancelled.cancellation_receipt()}) {
    const v1::LedgerEntry entry = Open(receipt).receipt.entry();
    v1::LedgerEntry shown = chain.at(static_cast<size_t>(entry.sequence() - 1));
    shown.clear_signed_head();  // the last has it
    EXPECT_EQ(entry.SerializeAsString(), shown.SerializeAsString());
  }
}

TEST_F(ReceiptSignerTest, TheSameActHasTheSameBytesHoweverOftenAndWhenItIsAsked) {
  const v1::PlanState plan = Reserve(1, 2);
  Release(*wall_, plan, 1);
  const std::string header = HeaderOf(*wall_, plan, 1).SerializeAsString();
  const v1::PlanState other = Reserve(2, 1);  // the spent sums of today are not in the receipt
  ASSERT_OK(wall_->Cancel("alice", other.plan_id(), 9000));
  EXPECT_EQ(HeaderOf(*wall_, plan, 1).SerializeAsString(), header);
  EXPECT_EQ(Reserve(1, 2).reservation_receipt().SerializeAsString(),
            plan.reservation_receipt().SerializeAsString());
  wall_.Reopen();
  EXPECT_EQ(HeaderOf(*wall_, plan, 1).SerializeAsString(), header);
  EXPECT_EQ(wall_->GetPlan("alice", plan.plan_id())->reservation_receipt().SerializeAsString(),
            plan.reservation_receipt().SerializeAsString());
}

// What the fold verified may be another row by the time that it is signed. Here the analyst paid
// for one iteration, and the row now says a hundred.
TEST_F(ReceiptSignerTest, AnEntryThatIsNotTheCustodiansIsNotSigned) {
  const v1::PlanState plan = Reserve(1, 1);
  const v1::LedgerEntry before = EntriesSeenBy(*wall_, {"ann", true}).at(1);
  v1::LedgerEntry entry = EntriesSeenBy(*wall_, {"ann", true}).at(2);
  v1::LedgerEvent event;
  ASSERT_TRUE(event.ParseFromString(entry.event()));
  event.mutable_plan_reserved()->mutable_spec()->set_iterations(100);
  entry.set_event(event.SerializeAsString());
  const std::string commitment = proto::EventCommitment(entry.salt(), entry.event());
  ASSERT_OK_AND_ASSIGN(auto connection,
                       store::SqliteConnection::Open(store::DatabasePath(wall_.directory()),
                                                     store::SqliteConnection::Mode::kReadWrite));
  ASSERT_OK(connection.Run("UPDATE event SET event = ?, commitment = ?, head = ? WHERE place = 3",
                           store::Blob{entry.event()}, store::Blob{commitment},
                           store::Blob{proto::NextHead(before.head(), commitment)}));
  EXPECT_THAT(wall_->GetPlan("alice", plan.plan_id()), StatusIs(absl::StatusCode::kDataLoss));
}

// An event of the custodian's, in its place, of another act: as a database shows that kept one
// which it refused, and shows it where another was appended.
TEST_F(ReceiptSignerTest, AnotherActThanWasAskedForIsNotSigned) {
  const v1::PlanState plan = Reserve(1, 2), other = Reserve(2, 2);
  ASSERT_OK(wall_->Charge(ChargeRequestFor(plan, 1)));
  wall_.Close();
  ASSERT_OK_AND_ASSIGN(const auto store, store::OpenStoreReadOnly(wall_.directory()));
  const LedgerSeals seals = testing::SealsForTests(*store);
  KeptState state;
  ASSERT_OK(state.TakeFrom(*store, &seals));
  const auto& budget = state.ledger.budgets().front();
  const auto signed_of = [&](v1::LedgerEvent::ActCase act, int iteration, const std::string& of) {
    return SignReceipt(*store, seals, LedgerKeysForTests().signing,
                       {.budget_id = budget.budget_id(),
                        .custodian_id = "library",
                        .sequence = 5,
                        .act = act,
                        .iteration = iteration,
                        .plan = budget.FindPlan(of)->terms,
                        .policy = budget.policy(),
                        .spent = budget.spent()})
        .status();
  };
  EXPECT_OK(signed_of(v1::LedgerEvent::kIterationCharged, 1, plan.plan_id()));
  const auto refused = StatusIs(absl::StatusCode::kDataLoss);
  EXPECT_THAT(signed_of(v1::LedgerEvent::kIterationCharged, 1, other.plan_id()), refused);
  EXPECT_THAT(signed_of(v1::LedgerEvent::kIterationCharged, 2, plan.plan_id()), refused);
  EXPECT_THAT(signed_of(v1::LedgerEvent::kReleasePublished, 1, plan.plan_id()), refused);
  EXPECT_THAT(signed_of(v1::LedgerEvent::kPlanReserved, 0, plan.plan_id()), refused);
}

TEST_F(ReceiptSignerTest, ARekeyKeepsEveryReceipt) {
  const v1::PlanState plan = Reserve(1, 2);
  ASSERT_OK(wall_->ReplaceSealingKey(SealingKeyForTests(2)));
  wall_.Close();
  ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(wall_.directory()));
  ASSERT_OK_AND_ASSIGN(const auto rekeyed,
                       FoldedLedger::Open(std::move(lock), LedgerKeysForTests(2)));
  EXPECT_EQ(rekeyed->GetPlan("alice", plan.plan_id())->reservation_receipt().SerializeAsString(),
            plan.reservation_receipt().SerializeAsString());
}

TEST_F(ReceiptSignerTest, AnotherCustodiansKeyDoesNotOpenTheLedger) {
  wall_.Close();
  LedgerKeys keys = LedgerKeysForTests();
  std::array<uint8_t, random::SecretKey::kSize> seed;
  seed.fill(1);
  keys.signing = *base::SigningKey::Create(seed);
  ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(wall_.directory()));
  EXPECT_THAT(FoldedLedger::Open(std::move(lock), std::move(keys)),
              StatusIs(absl::StatusCode::kFailedPrecondition, ::testing::HasSubstr("key_file")));
}

TEST_F(ReceiptSignerTest, ThereIsNoReceiptOfAReleaseThatCannotBeReadYet) {
  const v1::PlanState plan = Reserve(1, 2);
  auto outcome = wall_->Charge(ChargeRequestFor(plan, 1));
  ASSERT_OK(outcome);
  ASSERT_OK(wall_->Store(testing::Noised(std::move(outcome)), testing::SmallHeader(2), {1, 2}));
  CollectedRelease early;
  EXPECT_THAT(wall_->ReadRelease("alice", plan.plan_id(), 1, early),
              StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(early.header.SerializeAsString(), "");
  ASSERT_OK(wall_->Publish(PublicationOf(plan, 1)));
  EXPECT_EQ(Open(HeaderOf(*wall_, plan, 1).release_receipt()).event.time_ms(), 60000);
}

// Two ledgers, the same acts at the same times, other documents behind them: with ids, digests
// and salts taken out, the receipts are the same to the byte.
TEST_F(ReceiptSignerTest, NothingInAReceiptDependsOnTheCorpus) {
  const auto act = [](FoldedLedger& ledger, const std::vector<float>& statistics) {
    auto plan = ledger.Reserve(ReserveRequestFor("alice", 1, SmallPlan(1)));
    EXPECT_OK(plan);
    Release(ledger, *plan, 1, statistics);
    const v1::ReleaseHeader header = HeaderOf(ledger, *plan, 1);
    std::string all;
    for (const v1::SignedReceipt& receipt :
         {plan->reservation_receipt(), header.charge_receipt(), header.release_receipt()}) {
      OpenedReceipt opened = *OpenReceipt(receipt, Key());
      v1::LedgerEvent& event = opened.event;
      event.clear_budget_id();
      if (event.has_plan_reserved()) event.mutable_plan_reserved()->clear_plan_id();
      if (event.has_iteration_charged()) {
        event.mutable_iteration_charged()->clear_plan_id();
        event.mutable_iteration_charged()->clear_release_key_sha256();
      }
      if (event.has_release_published()) {
        event.mutable_release_published()->clear_plan_id();
        event.mutable_release_published()->clear_release_sha256();
        event.mutable_release_published()->clear_header_sha256();
      }
      opened.receipt.mutable_plan()->clear_plan_id();
      opened.receipt.clear_entry();
      opened.receipt.clear_previous_head();
      all += opened.receipt.SerializeAsString() + event.SerializeAsString();
    }
    return all;
  };
  LedgerForTests other;
  EXPECT_EQ(act(*wall_, {1, 2, 3, 4, 5, 6}), act(*other, {900, -800, 700, 0, 0, 1}));
}

TEST_F(ReceiptSignerTest, AReaderWithoutKeysGetsPlansWithoutReceipts) {
  const v1::PlanState plan = Reserve(1, 1);
  ASSERT_OK_AND_ASSIGN(const auto reader, FoldedLedger::OpenReadOnly(wall_.directory()));
  ASSERT_OK_AND_ASSIGN(const auto read, reader->GetPlan("alice", plan.plan_id()));
  EXPECT_FALSE(read.has_reservation_receipt());
}

TEST(HeadSignerTest, TheHeadIsSignedWithTheBudgetAndWithItsLastEntry) {
  LedgerForTests wall;
  ASSERT_OK(wall->Reserve(testing::ReserveRequestFor("alice", 1, testing::SmallPlan(2))));
  ASSERT_OK_AND_ASSIGN(const auto budget,
                       wall->Budget({.corpus_version = kNotesVersion, .reader = {"alice", false}}));
  const std::string key = LedgerKeysForTests().signing.public_key();
  ASSERT_OK_AND_ASSIGN(const auto head, proto::OpenSignedHead(budget.signed_head(), key));
  EXPECT_EQ(head.custodian_id(), "library");
  EXPECT_EQ(head.budget_id(), wall.budget_id());
  EXPECT_EQ(head.sequence(), budget.events());
  EXPECT_EQ(head.head(), budget.chain_head());
  const auto entries = testing::EntriesSeenBy(*wall, {"bob", false});
  ASSERT_FALSE(entries.empty());
  for (size_t i = 0; i + 1 < entries.size(); ++i) EXPECT_FALSE(entries[i].has_signed_head()) << i;
  EXPECT_EQ(entries.back().signed_head().SerializeAsString(),
            budget.signed_head().SerializeAsString())
      << "the same head has the same bytes";
}

TEST(HeadSignerTest, AReaderWithoutTheKeySignsNothing) {
  LedgerForTests wall;
  ASSERT_OK_AND_ASSIGN(auto reader, FoldedLedger::OpenReadOnly(wall.directory()));
  ASSERT_OK_AND_ASSIGN(const auto budget,
                       reader->Budget({.corpus_version = kNotesVersion, .reader = {"ann", true}}));
  EXPECT_FALSE(budget.has_signed_head());
  EXPECT_FALSE(testing::EntriesSeenBy(*reader, {"ann", true}).back().has_signed_head());
}

}  // namespace
}  // namespace topicwall::ledger
