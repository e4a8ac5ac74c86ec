// A ledger is backed up, goes on, is lost, and its backup comes back: what each way of
// thawing makes of it.
#include "server/ledger/ledger_thaw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "proto/ledger_chain.h"
#include "server/ledger/ledger_backup.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::ChargeRequestFor;
using testing::CollectedRelease;
using testing::EntriesSeenBy;
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
    head_at_backup_ = lost_->Standing(kNotesVersion)->head;
    EXPECT_OK(BackupLedger(lost_.directory(), backup_.path()));
  }

  v1::PlanState Reserve(const std::string& principal, int number, int iterations) {
    auto plan = lost_->Reserve(ReserveRequestFor(principal, number, SmallPlan(iterations)));
    EXPECT_OK(plan);
    return plan.ok() ? *plan : v1::PlanState();
  }

  // What a reader exported before the ledger was lost.
  v1::LedgerExport ExportBy(const Reader& reader) {
    v1::LedgerExport events;
    events.set_corpus("notes");
    for (const auto& entry : EntriesSeenBy(*lost_, reader)) *events.add_entries() = entry;
    return events;
  }

  void Restore() {
    {
      auto lock = DataDirectoryLock::Acquire(data_.path());
      ASSERT_OK(lock);
      ASSERT_OK(InstallBackup(backup_.path(), *lock, 50000));
    }
    Open();
  }

  void Open() {
    restored_.reset();
    auto lock = DataDirectoryLock::Acquire(data_.path());
    ASSERT_OK(lock);
    auto opened = SqliteLedger::Open(*std::move(lock), LedgerKeysForTests());
    ASSERT_OK(opened);
    restored_ = *std::move(opened);
  }

  v1::BudgetStatus BudgetOf(SqliteLedger& ledger) {
    auto budget = ledger.Budget({.corpus_version = kNotesVersion, .reader = {"ann", true}});
    EXPECT_OK(budget);
    return *budget;
  }

  void ExpectRefusedUnchanged(const absl::Status& refused) {
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_EQ(restored_->Standing(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
    Open();
  }

  LedgerForTests lost_;
  v1::PlanState plan_;
  std::string head_at_backup_;
  TemporaryDirectory backup_, data_;
  std::unique_ptr<SqliteLedger> restored_;
};

TEST_F(LedgerThawTest, AConfirmedHeadThawsAndPlansThatWereActiveStayPausedAndPaid) {
  const double spent = BudgetOf(*lost_).epsilon_spent();
  Restore();
  ExpectRefusedUnchanged(restored_->ThawByHead(std::string(32, 'x'), 60000));
  ExpectRefusedUnchanged(restored_->ThawByHead("", 60000));
  ExpectRefusedUnchanged(restored_->ThawByHead(restored_->Standing(kNotesVersion)->head, 60000));
  ASSERT_OK(restored_->ThawByHead(head_at_backup_, 60000));
  Open();
  EXPECT_EQ(restored_->Standing(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent);
  EXPECT_THAT(restored_->Charge(ChargeRequestFor(plan_, 2)),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("paused")));
  ASSERT_OK(restored_->Cancel("alice", plan_.plan_id(), 61000));
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent) << "what was left counts as charged";
  EXPECT_OK(restored_->Reserve(ReserveRequestFor("alice", 2, SmallPlan(1))));
  Open();
}

TEST_F(LedgerThawTest, AHeadFromAfterTheBackupDoesNotThaw) {
  ASSERT_OK(lost_->Charge(ChargeRequestFor(plan_, 2)));
  Restore();
  ExpectRefusedUnchanged(restored_->ThawByHead(lost_->Standing(kNotesVersion)->head, 60000));
}

TEST_F(LedgerThawTest, AnAuditorsExportBringsBackEverythingThatWasSpent) {
  Release(*lost_, plan_, 2);
  const v1::PlanState second = Reserve("bob", 1, 3);
  ASSERT_OK(lost_->Charge(ChargeRequestFor(second, 2)));
  const double spent = BudgetOf(*lost_).epsilon_spent();
  const v1::LedgerExport events = ExportBy({"ann", true});
  Restore();
  EXPECT_LT(BudgetOf(*restored_).epsilon_spent(), spent);
  ASSERT_OK(restored_->ThawByEvents(events, 60000));
  Open();
  EXPECT_EQ(restored_->Standing(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
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
  auto shown = restored_->GetPlan("bob", second.plan_id());
  ASSERT_OK(shown);
  EXPECT_EQ(shown->state(), v1::PlanState::PAUSED);
  EXPECT_EQ(shown->plan().noise_multiplier(), 20);
  EXPECT_EQ(shown->iterations_size(), 1);
  ASSERT_OK(restored_->Cancel("bob", second.plan_id(), 61000));
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent);
  EXPECT_OK(restored_->VerifyWholeLedger());
}

TEST_F(LedgerThawTest, AnEvaluationOfTheLostLedgerIsTakenOverAsOne) {
  const auto plan = lost_->Reserve(ReserveRequestFor("bob", 1, testing::SmallEvaluation(2)));
  ASSERT_OK(plan);
  ASSERT_OK(lost_->Charge(ChargeRequestFor(*plan, 1)));
  const double spent = BudgetOf(*lost_).epsilon_spent();
  const v1::LedgerExport events = ExportBy({"ann", true});
  Restore();
  ASSERT_OK(restored_->ThawByEvents(events, 60000));
  Open();
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent);
  const auto shown = restored_->GetPlan("bob", plan->plan_id());
  ASSERT_OK(shown);
  EXPECT_EQ(shown->plan().document_completion().num_topics(), 2);
  EXPECT_EQ(shown->plan().held_out_share(), 0.1);
  EXPECT_OK(restored_->VerifyWholeLedger());
}

TEST_F(LedgerThawTest, CancelsOfTheLostLedgerGiveNothingBack) {
  ASSERT_OK(lost_->Cancel("alice", plan_.plan_id(), 40000));
  const v1::LedgerExport events = ExportBy({"ann", true});
  Restore();
  const double spent = BudgetOf(*restored_).epsilon_spent();
  ASSERT_OK(restored_->ThawByEvents(events, 60000));
  EXPECT_EQ(BudgetOf(*restored_).epsilon_spent(), spent);
  Open();
}

TEST_F(LedgerThawTest, AnAnalystsExportIsEnoughIfNobodyElseWasBusy) {
  ASSERT_OK(lost_->Charge(ChargeRequestFor(plan_, 2)));
  const v1::LedgerExport mine = ExportBy({"alice", false});
  Reserve("bob", 1, 3);
  const v1::LedgerExport with_hidden = ExportBy({"alice", false});
  Restore();
  const absl::Status refused = restored_->ThawByEvents(with_hidden, 60000);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("auditor"));
  ExpectRefusedUnchanged(refused);
  ASSERT_OK(restored_->ThawByEvents(mine, 60000));
  EXPECT_THAT(restored_->Charge(ChargeRequestFor(plan_, 2)), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(LedgerThawTest, ExportsThatDoNotContinueTheBackupAreRefused) {
  const v1::LedgerExport at_backup = ExportBy({"ann", true});
  Release(*lost_, plan_, 2);
  const v1::LedgerExport good = ExportBy({"ann", true});
  Restore();

  v1::LedgerExport too_short = at_backup;
  too_short.mutable_entries()->RemoveLast();
  ExpectRefusedUnchanged(restored_->ThawByEvents(too_short, 60000));

  v1::LedgerExport of_the_restored;
  for (const auto& entry : EntriesSeenBy(*restored_, {"ann", true})) {
    *of_the_restored.add_entries() = entry;
  }
  ExpectRefusedUnchanged(restored_->ThawByEvents(of_the_restored, 60000));

  v1::LedgerExport edited = good;
  edited.mutable_entries(6)->mutable_event()->back() ^= 1;
  EXPECT_THAT(restored_->ThawByEvents(edited, 60000), StatusIs(absl::StatusCode::kInvalidArgument));
  v1::LedgerExport with_gap = good;
  with_gap.mutable_entries()->DeleteSubrange(5, 1);
  EXPECT_THAT(restored_->ThawByEvents(with_gap, 60000),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(restored_->ThawByEvents({}, 60000), StatusIs(absl::StatusCode::kInvalidArgument));

  LedgerForTests stranger;
  v1::LedgerExport foreign;
  for (const auto& entry : EntriesSeenBy(*stranger, {"ann", true})) *foreign.add_entries() = entry;
  EXPECT_THAT(restored_->ThawByEvents(foreign, 60000), StatusIs(absl::StatusCode::kNotFound));

  EXPECT_EQ(restored_->Standing(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
  EXPECT_OK(restored_->ThawByEvents(good, 60000));
}

TEST_F(LedgerThawTest, AForgedContinuationThatMakesNoSenseChangesNothing) {
  // The chain has no signature: whoever has an export can append to it. What is appended
  // still has to be possible.
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
        event.mutable_plan_reserved()->set_iterations(1);
      }),
      forge([&](auto& event) {
        // Of the right shape, but on a corpus of another budget.
        auto& act = *event.mutable_plan_reserved();
        act.set_plan_id("p");
        act.set_corpus_version(kLettersVersion);
        act.set_iterations(1);
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
    EXPECT_THAT(restored_->ThawByEvents(forged, 60000),
                ::testing::AnyOf(StatusIs(absl::StatusCode::kInvalidArgument),
                                 StatusIs(absl::StatusCode::kFailedPrecondition)));
    EXPECT_EQ(BudgetOf(*restored_).SerializeAsString(), before);
    Open();
  }
}

TEST_F(LedgerThawTest, ForfeitingSpendsEverythingAndKeepsReleasesReadable) {
  Restore();
  EXPECT_THAT(restored_->ThawByForfeiting(std::string(32, '0'), 60000),
              StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK(restored_->ThawByForfeiting(lost_.budget_id(), 60000));
  Open();
  EXPECT_EQ(restored_->Standing(kNotesVersion)->state, v1::CORPUS_STATE_OPEN);
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
  const auto letters = [](SqliteLedger& ledger) {
    auto budget = ledger.Budget({.corpus_version = kLettersVersion, .reader = {"ann", true}});
    EXPECT_OK(budget);
    return *budget;
  };
  const auto reserve = [&](int number, const v1::PlanSpec& plan) {
    auto reserved = lost_->Reserve(ReserveRequestFor("alice", number, plan));
    EXPECT_OK(reserved);
    return reserved.ok() ? reserved->plan_id() : "";
  };
  // All (20, 1) are drawn, given back and drawn again: cancels are not taken over.
  const std::string first = reserve(11, testing::LettersPlan(4, 20));
  ASSERT_OK(lost_->Cancel("alice", first, 4000));
  reserve(12, testing::LettersPlan(3, 20));
  v1::LedgerExport lost;
  ASSERT_OK(lost_->ReadEvents(kLettersVersion, {"ann", true}, 0, [&](const auto& entry) {
    *lost.add_entries() = entry;
    return absl::OkStatus();
  }));
  Restore();
  EXPECT_THAT(letters(*restored_).spent(), ::testing::ElementsAre(0, 0));
  ASSERT_OK(restored_->ThawByEvents(lost, 60000));
  Open();
  EXPECT_THAT(letters(*restored_).spent(), ::testing::ElementsAre(0, 7));
  EXPECT_GT(letters(*restored_).epsilon_spent(), 0);
  EXPECT_THAT(restored_->Reserve(ReserveRequestFor("bob", 1, testing::LettersPlan(1, 20))),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_OK(restored_->Reserve(ReserveRequestFor("bob", 2, testing::LettersPlan(6, 40))));
  Open();
}

TEST_F(LedgerThawTest, ForfeitedVouchersAreGoneForEver) {
  auto plan = lost_->Reserve(ReserveRequestFor("alice", 11, testing::LettersPlan(2, 40)));
  ASSERT_OK(plan);
  TemporaryDirectory later;
  ASSERT_OK(BackupLedger(lost_.directory(), later.path()));
  {
    auto lock = DataDirectoryLock::Acquire(data_.path());
    ASSERT_OK(lock);
    ASSERT_OK(InstallBackup(later.path(), *lock, 50000));
  }
  Open();
  const std::string budget_id = restored_->Standing(kLettersVersion)->budget_id;
  ASSERT_OK(restored_->ThawByForfeiting(budget_id, 60000));
  ASSERT_OK(restored_->Cancel("alice", plan->plan_id(), 61000));
  Open();
  auto budget = restored_->Budget({.corpus_version = kLettersVersion, .reader = {"ann", true}});
  ASSERT_OK(budget);
  EXPECT_THAT(budget->spent(), ::testing::Each(accountant::kDeadOrder));
  EXPECT_EQ(budget->epsilon_left(), 0);
  EXPECT_THAT(restored_->Reserve(ReserveRequestFor("bob", 1, testing::LettersPlan(1, 1000))),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(LedgerThawTest, OnlyTheBudgetThatIsConfirmedThaws) {
  Restore();
  ASSERT_OK(restored_->ThawByHead(lost_->Standing(kLettersVersion)->head, 60000));
  EXPECT_EQ(restored_->Standing(kLettersVersion)->state, v1::CORPUS_STATE_OPEN);
  EXPECT_EQ(restored_->Standing(kNotesVersion)->state, v1::CORPUS_STATE_FROZEN);
}

}  // namespace
}  // namespace topicwall::ledger
