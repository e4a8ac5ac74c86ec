// A ledger is backed up, goes on, is lost, and its backup comes back: what each way of
// thawing makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "proto/ledger_chain.h"
#include "proto/release_spec.h"
#include "server/ledger/ledger_backup.h"
#include "server/store/ledger_files.h"
#include "server/store/sqlite/sqlite_connection.h"
#include "server/store/stores.h"
#include "tests/server/store/forwarding_store.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::ChargeRequestFor;
using testing::CollectedRelease;
using ::testing::HasSubstr;
using testing::kLettersVersion;
using testing::kNotesVersion;
using testing::LedgerForTests;
using testing::LedgerKeysForTests;
using testing::Release;
using testing::ReserveRequestFor;
using testing::SmallPlan;
using testing::StatusIs;
using testing::TemporaryDirectory;

class LedgerThawTest : public ::testing::Test {
 protected:
  LedgerThawTest() {
    EXPECT_OK(lost_->OpenBudget(testing::LettersBudget()));
    plan_ = Reserve("alice", 1, 5);
    Release(*lost_, plan_, 1);
    head_at_backup_ = lost_->StatusOfCorpus(kNotesVersion)->head;
    EXPECT_OK(BackupLedger(lost_.directory(), backup_.path(), LedgerKeysForTests()));
  }

  v1::PlanState Reserve(const std::string& principal, int number, int iterations) {
    auto plan = lost_->Reserve(ReserveRequestFor(principal, number, SmallPlan(iterations)));
    EXPECT_OK(plan);
    return plan.ok() ? *plan : v1::PlanState();
  }

  // What a reader exported before the ledger was lost.
  v1::LedgerExport ExportBy(const Reader& reader) { return testing::ExportOf(*lost_, reader); }

  // What alice and bob keep of the lost ledger.
  ThawEvidence AllReceipts() { return testing::ReceiptsOf(*lost_, {"alice", "bob"}); }

  void Restore() {
    {
      ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(data_.path()));
      ASSERT_OK(InstallBackup(backup_.path(), lock, LedgerKeysForTests(), 50000));
    }
    Open();
  }

  void Open() {
    restored_.reset();
    ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(data_.path()));
    ASSERT_OK_AND_ASSIGN(auto opened, FoldedLedger::Open(std::move(lock), LedgerKeysForTests()));
    restored_ = std::move(opened);
  }

  v1::BudgetStatus BudgetOf(PrivacyLedger& ledger) {
    auto budget = ledger.Budget({.corpus_version = kNotesVersion, .reader = {"ann", true}});
    EXPECT_OK(budget);
    return *budget;
  }

  void ExpectRefusedUnchanged(const absl::Status& refused) {
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_EQ(restored_->StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
    Open();
  }

  LedgerForTests lost_;
  v1::PlanState plan_;
  std::string head_at_backup_;
  TemporaryDirectory backup_, data_;
  std::unique_ptr<FoldedLedger> restored_;
};

// Whoever can write the database may do so after the chain was folded, and so show the heads that
// some receipt has.
TEST_F(LedgerThawTest, HeadsThatWereEditedSinceTheLedgerWasOpenedThawNothing) {
  Restore();
  {
    ASSERT_OK_AND_ASSIGN(auto connection,
                         store::SqliteConnection::Open(store::DatabasePath(data_.path()),
                                                       store::SqliteConnection::Mode::kReadWrite));
    ASSERT_OK(connection.RunScript("UPDATE event SET head = zeroblob(32) WHERE sequence = 2"));
  }
  EXPECT_THAT(restored_->ThawByHead(head_at_backup_, AllReceipts(), 60000),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(restored_->StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
}

TEST_F(LedgerThawTest, AConfirmedHeadThawsAndPlansThatWereActiveStayPausedAndPaid) {
  const double spent = BudgetOf(*lost_).epsilon_spent();
  Restore();
  ExpectRefusedUnchanged(restored_->ThawByHead(std::string(32, 'x'), AllReceipts(), 60000));
  ExpectRefusedUnchanged(restored_->ThawByHead("", AllReceipts(), 60000));
  ExpectRefusedUnchanged(
      restored_->ThawByHead(restored_->StatusOfCorpus(kNotesVersion)->head, AllReceipts(), 60000));
  ASSERT_OK(restored_->ThawByHead(head_at_backup_, AllReceipts(), 60000));
  Open();
  EXPECT_EQ(restored_->StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent);
  EXPECT_THAT(restored_->Charge(ChargeRequestFor(plan_, 2)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("paused")));
  ASSERT_OK(restored_->Cancel("alice", plan_.plan_id(), 61000));
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent) << "what was left counts as charged";
  EXPECT_OK(restored_->Reserve(ReserveRequestFor("alice", 2, SmallPlan(1))));
  Open();
}

// A round trip each would hold up every other act for as long as they take together.
TEST_F(LedgerThawTest, TheEntriesOfAThawAreReadManyAtOnce) {
  class CountingStore final : public testing::ForwardingStore {
   public:
    CountingStore(std::unique_ptr<store::EventStore> store, int* reads)
        : ForwardingStore(std::move(store)), reads_(reads) {}
    absl::StatusOr<std::vector<v1::LedgerEntry>> ReadEntries(absl::string_view budget_id,
                                                             int64_t first,
                                                             int64_t limit) override {
      ++*reads_;
      return ForwardingStore::ReadEntries(budget_id, first, limit);
    }

   private:
    int* const reads_;
  };
  Restore();
  restored_.reset();
  int reads = 0;
  ASSERT_OK_AND_ASSIGN(auto opened,
                       store::OpenStore(*store::DataDirectoryLock::Acquire(data_.path())));
  ASSERT_OK_AND_ASSIGN(
      restored_, FoldedLedger::Fold(std::make_unique<CountingStore>(std::move(opened), &reads),
                                    LedgerKeysForTests()));
  reads = 0;
  ASSERT_OK(restored_->ThawByHead(head_at_backup_, AllReceipts(), 60000));
  EXPECT_EQ(reads, 1);
}

TEST_F(LedgerThawTest, AHeadFromAfterTheBackupDoesNotThaw) {
  ASSERT_OK(lost_->Charge(ChargeRequestFor(plan_, 2)));
  Restore();
  ExpectRefusedUnchanged(
      restored_->ThawByHead(lost_->StatusOfCorpus(kNotesVersion)->head, AllReceipts(), 60000));
}

TEST_F(LedgerThawTest, AnAuditorsExportBringsBackEverythingThatWasSpent) {
  Release(*lost_, plan_, 2, {6, 5, 4, 3, 2, 1});  // no release is like another
  const v1::PlanState second = Reserve("bob", 1, 3);
  ASSERT_OK(lost_->Charge(ChargeRequestFor(second, 2)));
  const double spent = BudgetOf(*lost_).epsilon_spent();
  const v1::LedgerExport events = ExportBy({"ann", true});
  Restore();
  EXPECT_LT(BudgetOf(*restored_).epsilon_spent(), spent);
  ASSERT_OK(restored_->ThawByEvents(events, AllReceipts(), 60000));
  Open();
  EXPECT_EQ(restored_->StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
  const v1::BudgetStatus budget = BudgetOf(*restored_);
  EXPECT_EQ(budget.epsilon_spent(), spent);
  ASSERT_EQ(budget.principals_size(), 2);
  EXPECT_EQ(budget.principals(1).epsilon_spent(), BudgetOf(*lost_).principals(1).epsilon_spent());
  // What was charged is neither computed nor charged again.
  EXPECT_THAT(restored_->Charge(ChargeRequestFor(plan_, 2)), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(restored_->Charge(ChargeRequestFor(second, 2)),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(restored_->Charge(ChargeRequestFor(second, 1)),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK_AND_ASSIGN(auto shown, restored_->GetPlan("bob", second.plan_id()));
  EXPECT_EQ(shown.state(), v1::PlanState::PAUSED);
  EXPECT_EQ(shown.plan().gaussian().noise_multiplier(), 20);
  EXPECT_EQ(shown.iterations_size(), 1);
  ASSERT_OK(restored_->Cancel("bob", second.plan_id(), 61000));
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent);
  EXPECT_OK(restored_->VerifyWholeLedger());
}

TEST_F(LedgerThawTest, AnEvaluationOfTheLostLedgerIsTakenOverAsOne) {
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       lost_->Reserve(ReserveRequestFor("bob", 1, testing::SmallEvaluation(2))));
  ASSERT_OK(lost_->Charge(ChargeRequestFor(plan, 1)));
  const double spent = BudgetOf(*lost_).epsilon_spent();
  const v1::LedgerExport events = ExportBy({"ann", true});
  Restore();
  ASSERT_OK(restored_->ThawByEvents(events, AllReceipts(), 60000));
  Open();
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent);
  ASSERT_OK_AND_ASSIGN(const auto shown, restored_->GetPlan("bob", plan.plan_id()));
  EXPECT_TRUE(proto::SameSpec(shown.plan(), proto::RecordOf(plan.plan())));
  EXPECT_OK(restored_->VerifyWholeLedger());
}

TEST_F(LedgerThawTest, CancelsOfTheLostLedgerGiveNothingBack) {
  ASSERT_OK(lost_->Cancel("alice", plan_.plan_id(), 40000));
  const v1::LedgerExport events = ExportBy({"ann", true});
  Restore();
  const double spent = BudgetOf(*restored_).epsilon_spent();
  ASSERT_OK(restored_->ThawByEvents(events, AllReceipts(), 60000));
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent);
  Open();
}

TEST_F(LedgerThawTest, AnAnalystsExportIsEnoughIfNobodyElseWasBusy) {
  ASSERT_OK(lost_->Charge(ChargeRequestFor(plan_, 2)));
  const v1::LedgerExport mine = ExportBy({"alice", false});
  const ThawEvidence before_bob = AllReceipts();
  Reserve("bob", 1, 3);
  const v1::LedgerExport with_hidden = ExportBy({"alice", false});
  Restore();
  const absl::Status refused = restored_->ThawByEvents(with_hidden, AllReceipts(), 60000);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("auditor"));
  ExpectRefusedUnchanged(refused);
  ASSERT_OK(restored_->ThawByEvents(mine, before_bob, 60000));
  EXPECT_THAT(restored_->Charge(ChargeRequestFor(plan_, 2)), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(LedgerThawTest, ExportsThatDoNotContinueTheBackupAreRefused) {
  const v1::LedgerExport at_backup = ExportBy({"ann", true});
  Release(*lost_, plan_, 2);
  const v1::LedgerExport good = ExportBy({"ann", true});
  Restore();

  v1::LedgerExport too_short = at_backup;
  too_short.mutable_entries()->RemoveLast();
  ExpectRefusedUnchanged(restored_->ThawByEvents(too_short, AllReceipts(), 60000));

  const v1::LedgerExport of_the_restored = testing::ExportOf(*restored_);
  ExpectRefusedUnchanged(restored_->ThawByEvents(of_the_restored, AllReceipts(), 60000));
  EXPECT_THAT(restored_->ThawByEvents(of_the_restored, AllReceipts(), 60000).message(),
              HasSubstr("one from before the loss is needed"));

  v1::LedgerExport edited = good;
  edited.mutable_entries(6)->mutable_event()->back() ^= 1;
  EXPECT_THAT(restored_->ThawByEvents(edited, AllReceipts(), 60000),
              StatusIs(absl::StatusCode::kInvalidArgument));
  v1::LedgerExport with_gap = good;
  with_gap.mutable_entries()->DeleteSubrange(5, 1);
  EXPECT_THAT(restored_->ThawByEvents(with_gap, AllReceipts(), 60000),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(restored_->ThawByEvents({}, AllReceipts(), 60000),
              StatusIs(absl::StatusCode::kInvalidArgument));

  LedgerForTests stranger;
  const v1::LedgerExport foreign = testing::ExportOf(*stranger);
  EXPECT_THAT(restored_->ThawByEvents(foreign, AllReceipts(), 60000),
              StatusIs(absl::StatusCode::kNotFound));

  EXPECT_EQ(restored_->StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
  EXPECT_OK(restored_->ThawByEvents(good, AllReceipts(), 60000));
}

// Its charge is in the backup, its end only in what was lost: nothing here is damaged.
TEST_F(LedgerThawTest, AReleaseThatEndedBehindTheBackupIsLostAndNoDamage) {
  auto charged = lost_->Charge(testing::ChargeRequestFor(plan_, 2));
  ASSERT_OK(charged);
  const TemporaryDirectory backup;
  ASSERT_OK(BackupLedger(lost_.directory(), backup.path(), LedgerKeysForTests()));
  ASSERT_OK(
      lost_->Store(testing::Noised(std::move(charged)), testing::SmallHeader(4), {1, 2, 3, 4}));
  ASSERT_OK(lost_->Publish(testing::PublicationOf(plan_, 2)));
  const v1::LedgerExport good = ExportBy({"ann", true});
  {
    ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(data_.path()));
    ASSERT_OK(InstallBackup(backup.path(), lock, LedgerKeysForTests(), 50000));
  }
  Open();
  ASSERT_OK(restored_->ThawByEvents(good, AllReceipts(), 60000));
  Open();
  EXPECT_THAT(restored_->Charge(testing::ChargeRequestFor(plan_, 2)),
              StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(LedgerThawTest, AForgedContinuationThatMakesNoSenseChangesNothing) {
  // Even signed with the budget's own key: what is appended still has to be possible.
  const auto forge = [&](const std::function<void(v1::LedgerEvent&)>& fill) {
    v1::LedgerExport forged = ExportBy({"ann", true});
    v1::LedgerEvent event;
    event.set_sequence(forged.entries_size() + 1);
    event.set_budget_id(lost_.budget_id());
    event.set_principal("alice");
    fill(event);
    v1::LedgerEntry entry;
    entry.set_sequence(event.sequence());
    entry.set_event(event.SerializeAsString());
    entry.set_salt(std::string(16, 's'));
    entry.set_commitment(proto::EventCommitment(entry.salt(), entry.event()));
    entry.set_head(
        proto::NextHead(forged.entries(forged.entries_size() - 1).head(), entry.commitment()));
    *forged.add_entries() = entry;
    testing::SignEnd(forged);
    return forged;
  };
  const std::vector<v1::LedgerExport> forgeries = {
      forge([](auto& event) { event.mutable_iteration_charged()->set_plan_id("none"); }),
      forge([&](auto& event) {
        event.mutable_iteration_charged()->set_plan_id(plan_.plan_id());
        event.mutable_iteration_charged()->set_iteration(6);
      }),
      forge([&](auto& event) {
        event.set_principal("bob");
        event.mutable_iteration_charged()->set_plan_id(plan_.plan_id());
        event.mutable_iteration_charged()->set_iteration(2);
      }),
      forge([&](auto& event) {
        event.mutable_iteration_charged()->set_plan_id(plan_.plan_id());
        event.mutable_iteration_charged()->set_iteration(1);  // charged before the backup
      }),
      forge([](auto& event) { event.mutable_plan_reserved()->set_plan_id("p"); }),
      forge([&](auto& event) {
        event.mutable_plan_reserved()->set_plan_id(plan_.plan_id());
        event.mutable_plan_reserved()->mutable_spec()->set_iterations(1);
      }),
      forge([&](auto& event) {
        // Of the right shape, but on a corpus of another budget.
        auto& act = *event.mutable_plan_reserved();
        act.set_plan_id("p");
        act.mutable_spec()->set_corpus_version(kLettersVersion);
        act.mutable_spec()->set_iterations(1);
        const auto spent = BudgetOf(*lost_).spent_size();
        for (int order = 0; order < spent; ++order) act.add_cost(1);
      }),
      forge([](auto& event) { event.mutable_corpus_joined()->set_corpus_version(kNotesVersion); }),
      forge([](auto& event) {
        event.mutable_budget_thawed()->set_ground(v1::BudgetThawed::FORFEITED);
      }),
  };
  Restore();
  const std::string before = BudgetOf(*restored_).SerializeAsString();
  for (const v1::LedgerExport& forged : forgeries) {
    EXPECT_THAT(restored_->ThawByEvents(forged, AllReceipts(), 60000),
                ::testing::AnyOf(StatusIs(absl::StatusCode::kInvalidArgument),
                                 StatusIs(absl::StatusCode::kFailedPrecondition)));
    EXPECT_EQ(BudgetOf(*restored_).SerializeAsString(), before);
    Open();
  }
}

// An export with one entry edited and everything behind it hashed again.
v1::LedgerExport Edited(const v1::LedgerExport& honest, int index,
                        const std::function<void(v1::LedgerEvent&)>& edit) {
  v1::LedgerExport edited = honest;
  for (int i = index; i < edited.entries_size(); ++i) {
    v1::LedgerEntry& entry = *edited.mutable_entries(i);
    if (i == index) {
      v1::LedgerEvent event;
      EXPECT_TRUE(event.ParseFromString(entry.event()));
      edit(event);
      entry.set_event(event.SerializeAsString());
    }
    entry.set_commitment(proto::EventCommitment(entry.salt(), entry.event()));
    entry.set_head(proto::NextHead(edited.entries(i - 1).head(), entry.commitment()));
  }
  return edited;
}

// The reservation of the last entry, as if it had cost next to nothing.
v1::LedgerExport Cheapened(const v1::LedgerExport& honest) {
  return Edited(honest, honest.entries_size() - 1, [](v1::LedgerEvent& event) {
    for (uint64_t& cost : *event.mutable_plan_reserved()->mutable_cost()) cost = 1;
  });
}

TEST_F(LedgerThawTest, CostsEditedInAnExportAreNotBelieved) {
  Reserve("bob", 1, 5);
  const v1::LedgerExport honest = ExportBy({"ann", true});
  const double spent = BudgetOf(*lost_).epsilon_spent();
  const ThawEvidence nobodys{.receipts = {}, .forfeit_unseen = true};
  Restore();
  v1::LedgerExport cheap = Cheapened(honest);
  cheap.clear_signed_head();
  ExpectRefusedUnchanged(restored_->ThawByEvents(cheap, nobodys, 60000));
  *cheap.mutable_signed_head() = honest.signed_head();
  EXPECT_THAT(restored_->ThawByEvents(cheap, nobodys, 60000),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("signed head")));
  EXPECT_EQ(restored_->StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
  ASSERT_OK(restored_->ThawByEvents(honest, AllReceipts(), 60000));
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent);
}

// Even a signature does not make a price: what the budget's own policy asks is what counts.
TEST_F(LedgerThawTest, APlansPriceIsWorkedOutAgain) {
  Reserve("bob", 1, 5);
  v1::LedgerExport cheap = Cheapened(ExportBy({"ann", true}));
  testing::SignEnd(cheap);
  const v1::LedgerExport dear = [&] {
    v1::LedgerExport more = Edited(ExportBy({"ann", true}), 6, [](v1::LedgerEvent& event) {
      for (uint64_t& cost : *event.mutable_plan_reserved()->mutable_cost()) cost += 1;
    });
    testing::SignEnd(more);
    return more;
  }();
  Restore();
  for (const v1::LedgerExport& edited : {cheap, dear}) {
    const absl::Status refused =
        restored_->ThawByEvents(edited, {.receipts = {}, .forfeit_unseen = true}, 60000);
    EXPECT_THAT(std::string(refused.message()), HasSubstr("another cost"));
    ExpectRefusedUnchanged(refused);
  }
}

TEST_F(LedgerThawTest, AnExportOlderThanSomebodysReceiptIsRefused) {
  Reserve("bob", 1, 3);
  const v1::LedgerExport older = ExportBy({"ann", true});
  Release(*lost_, plan_, 2);
  Restore();
  const absl::Status refused = restored_->ThawByEvents(older, AllReceipts(), 60000);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("newer than"));
  ExpectRefusedUnchanged(refused);
  ThawEvidence forfeiting = AllReceipts();
  forfeiting.forfeit_unseen = true;
  ExpectRefusedUnchanged(restored_->ThawByEvents(older, forfeiting, 60000));
}

TEST_F(LedgerThawTest, AHeadNotedBeforeTheLossIsContradictedByANewerReceipt) {
  Release(*lost_, plan_, 2);
  Restore();
  ExpectRefusedUnchanged(restored_->ThawByHead(head_at_backup_, {}, 60000));
  const absl::Status refused = restored_->ThawByHead(head_at_backup_, AllReceipts(), 60000);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("newer than"));
  ExpectRefusedUnchanged(refused);
}

TEST_F(LedgerThawTest, WhoeverHadAPlanMustShowAReceiptOrEverythingLeftCountsAsSpent) {
  Reserve("bob", 1, 3);
  const v1::LedgerExport events = ExportBy({"ann", true});
  const ThawEvidence alice_only = testing::ReceiptsOf(*lost_, {"alice"});
  Restore();
  const absl::Status refused = restored_->ThawByEvents(events, alice_only, 60000);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("none was shown of: bob"));
  ExpectRefusedUnchanged(refused);
  ThawEvidence forfeiting = alice_only;
  forfeiting.forfeit_unseen = true;
  ASSERT_OK(restored_->ThawByEvents(events, forfeiting, 60000));
  Open();
  EXPECT_EQ(BudgetOf(*restored_).epsilon_left(), 0);
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), BudgetOf(*restored_).epsilon_total());
  EXPECT_EQ(BudgetOf(*restored_).odometer_epsilon(), BudgetOf(*restored_).epsilon_total());
  const std::vector<Restoration> restorations =
      restored_->StatusOfCorpus(kNotesVersion)->restorations;
  ASSERT_EQ(restorations.size(), 1);
  EXPECT_TRUE(restorations[0].thaw.forfeited_unseen());
  EXPECT_OK(restored_->VerifyWholeLedger());
}

TEST_F(LedgerThawTest, ReceiptsOfAnotherHistoryAreRefused) {
  const v1::LedgerExport events = ExportBy({"ann", true});
  ThawEvidence evidence = AllReceipts();
  LedgerForTests stranger;
  auto plan = stranger->Reserve(ReserveRequestFor("alice", 1, SmallPlan(2)));
  ASSERT_OK(plan);
  Restore();
  // Of another budget under the same key: counts for nothing.
  const ThawEvidence foreign = testing::ReceiptsOf(*stranger, {"alice"});
  ExpectRefusedUnchanged(restored_->ThawByEvents(events, foreign, 60000));
  evidence.receipts.front().mutable_signature()->back() ^= 1;
  EXPECT_THAT(restored_->ThawByEvents(events, evidence, 60000),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(restored_->StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
}

TEST_F(LedgerThawTest, WhatWasTakenForTheNewestStandsInTheChainForEver) {
  Release(*lost_, plan_, 2);
  const v1::LedgerExport events = ExportBy({"ann", true});
  Restore();
  ASSERT_OK(restored_->ThawByEvents(events, AllReceipts(), 60000));
  Open();
  const std::vector<Restoration> restorations =
      restored_->StatusOfCorpus(kNotesVersion)->restorations;
  ASSERT_EQ(restorations.size(), 1);
  EXPECT_EQ(restorations[0].thawed_at_ms, 60000);
  EXPECT_EQ(restorations[0].thaw.head_sequence(), events.entries_size());
  EXPECT_EQ(restorations[0].thaw.head(), lost_->StatusOfCorpus(kNotesVersion)->head);
  // The other budget may concern the same people, and is told.
  bool told = false;
  const v1::LedgerExport letters = testing::ExportOf(*restored_, {"ann", true}, kLettersVersion);
  for (const v1::LedgerEntry& entry : letters.entries()) {
    v1::LedgerEvent event;
    ASSERT_TRUE(event.ParseFromString(entry.event()));
    told |= event.has_budgets_summed() && event.time_ms() == 60000;
  }
  EXPECT_TRUE(told);
}

// It is lost, and what it paid for is not taken back: whoever may be in it is promised no less than
// with it, also by budgets whose own chains never told of it.
TEST_F(LedgerThawTest, ABudgetThatAnExportTellsOfStaysInEverySum) {
  OpenBudgetParams mail = testing::NotesBudget();
  mail.corpus = "mail";
  mail.corpus_version = "mail, version 01";
  mail.policy = testing::FilterWithoutGaussian({.epsilon = 5, .delta = 1e-6});
  const std::string letters_at_backup = lost_->StatusOfCorpus(kLettersVersion)->head;
  ASSERT_OK_AND_ASSIGN(const auto lost_budget, lost_->OpenBudget(mail));
  const v1::LedgerExport events = ExportBy({"ann", true});
  Restore();
  ASSERT_OK(restored_->ThawByEvents(events, AllReceipts(), 60000));
  const auto expect_sum = [&](const char* version, double epsilon) {
    const v1::BudgetSum sum = restored_->StatusOfCorpus(version)->sum;
    EXPECT_DOUBLE_EQ(sum.epsilon(), epsilon) << version;
    const auto is_it = [&](const auto& other) { return other.budget_id() == lost_budget; };
    EXPECT_EQ(std::count_if(sum.budgets().begin(), sum.budgets().end(), is_it), 1) << version;
  };
  expect_sum(kNotesVersion, 2 * 2.44 + 5);
  expect_sum(kLettersVersion, 2 * 2.44 + 5);
  ASSERT_OK(restored_->ThawByHead(letters_at_backup, AllReceipts(), 61000));
  OpenBudgetParams cards = testing::NotesBudget();
  cards.corpus = "cards";
  cards.corpus_version = "cards, first one";
  for (const char* version : {kNotesVersion, kLettersVersion}) {
    v1::DisjointBudget& apart = cards.disjoint.emplace_back();
    apart.set_budget_id(restored_->StatusOfCorpus(version)->budget_id);
    apart.set_reason("another town");
  }
  ASSERT_OK(restored_->OpenBudget(cards));
  Open();
  expect_sum(kNotesVersion, 2 * 2.44 + 5);
  expect_sum(kLettersVersion, 2 * 2.44 + 5);
  expect_sum("cards, first one", 2.44 + 5);
}

TEST_F(LedgerThawTest, ForfeitingSpendsEverythingAndKeepsReleasesReadable) {
  Restore();
  EXPECT_THAT(restored_->ThawByForfeiting(std::string(32, '0'), 60000),
              StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK(restored_->ThawByForfeiting(lost_.budget_id(), 60000));
  Open();
  EXPECT_EQ(restored_->StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
  const v1::BudgetStatus budget = BudgetOf(*restored_);
  EXPECT_EQ(budget.epsilon_left(), 0);
  for (const uint64_t order : budget.spent()) EXPECT_EQ(order, accountant::kDeadOrder);
  EXPECT_THAT(restored_->Reserve(ReserveRequestFor("bob", 1, SmallPlan(1, 1048576))),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  CollectedRelease read;
  EXPECT_OK(restored_->ReadRelease("alice", plan_.plan_id(), 1, read));
  ASSERT_OK(restored_->Cancel("alice", plan_.plan_id(), 61000));
  EXPECT_EQ(BudgetOf(*restored_).epsilon_left(), 0);
  Open();
}

TEST_F(LedgerThawTest, LostDrawsOfVouchersAreTakenOverEvenBeyondWhatTheBackupHadLeft) {
  const auto letters = [](PrivacyLedger& ledger) {
    auto budget = ledger.Budget({.corpus_version = kLettersVersion, .reader = {"ann", true}});
    EXPECT_OK(budget);
    return *budget;
  };
  const auto reserve = [&](int number, const v1::ReleaseSpec& plan) {
    auto reserved = lost_->Reserve(ReserveRequestFor("alice", number, plan));
    EXPECT_OK(reserved);
    return reserved.ok() ? reserved->plan_id() : "";
  };
  // All (20, 1) are drawn, given back and drawn again: cancels are not taken over.
  const std::string first = reserve(11, testing::LettersPlan(4, 20));
  ASSERT_OK(lost_->Cancel("alice", first, 4000));
  reserve(12, testing::LettersPlan(3, 20));
  const v1::LedgerExport lost = testing::ExportOf(*lost_, {"ann", true}, kLettersVersion);
  Restore();
  EXPECT_THAT(letters(*restored_).spent(), ::testing::ElementsAre(0, 0));
  ASSERT_OK(restored_->ThawByEvents(lost, AllReceipts(), 60000));
  Open();
  EXPECT_THAT(letters(*restored_).spent(), ::testing::ElementsAre(0, 7));
  EXPECT_GT(letters(*restored_).epsilon_spent(), 0);
  EXPECT_THAT(restored_->Reserve(ReserveRequestFor("bob", 1, testing::LettersPlan(1, 20))),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_OK(restored_->Reserve(ReserveRequestFor("bob", 2, testing::LettersPlan(6, 40))));
  Open();
}

TEST_F(LedgerThawTest, ForfeitedVouchersAreGoneForEver) {
  ASSERT_OK_AND_ASSIGN(auto plan,
                       lost_->Reserve(ReserveRequestFor("alice", 11, testing::LettersPlan(2, 40))));
  TemporaryDirectory later;
  ASSERT_OK(BackupLedger(lost_.directory(), later.path(), LedgerKeysForTests()));
  {
    ASSERT_OK_AND_ASSIGN(auto lock, store::DataDirectoryLock::Acquire(data_.path()));
    ASSERT_OK(InstallBackup(later.path(), lock, LedgerKeysForTests(), 50000));
  }
  Open();
  const std::string budget_id = restored_->StatusOfCorpus(kLettersVersion)->budget_id;
  ASSERT_OK(restored_->ThawByForfeiting(budget_id, 60000));
  ASSERT_OK(restored_->Cancel("alice", plan.plan_id(), 61000));
  Open();
  ASSERT_OK_AND_ASSIGN(
      auto budget, restored_->Budget({.corpus_version = kLettersVersion, .reader = {"ann", true}}));
  EXPECT_THAT(budget.spent(), ::testing::Each(accountant::kDeadOrder));
  EXPECT_EQ(budget.epsilon_left(), 0);
  EXPECT_THAT(restored_->Reserve(ReserveRequestFor("bob", 1, testing::LettersPlan(1, 1000))),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(LedgerThawTest, OnlyTheBudgetThatIsConfirmedThaws) {
  Restore();
  ASSERT_OK(
      restored_->ThawByHead(lost_->StatusOfCorpus(kLettersVersion)->head, AllReceipts(), 60000));
  EXPECT_EQ(restored_->StatusOfCorpus(kLettersVersion)->state, v1::CORPUS_STATE_OPEN);
  EXPECT_EQ(restored_->StatusOfCorpus(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
}

}  // namespace
}  // namespace topicwall::ledger
