// What thawing takes over, from the real chain of a lost ledger. That each way of thawing is
// refused and granted as it was before is shown by tests/server/ledger/ledger_thaw_test.cc.
#include "accountant/ledger/thaw_acts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/accountant/ledger/fold_for_tests.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

namespace tables = topicwall::ledger;

class ThawActsTest : public ::testing::Test {
 protected:
  // A backup after alice's first release; beyond it bob has one that missed its instant, one that
  // waited for a restart, and one that failed; and one that missed its instant is acknowledged.
  ThawActsTest() {
    const v1::PlanState alices = Reserve("alice", 5);
    testing::Release(*lost_, alices, 1);
    length_ = lost_->StatusOfCorpus(testing::kNotesVersion)->events;
    const v1::PlanState bobs = Reserve("bob", 6);
    Publish(bobs, 1, /*intervals_waited=*/2);
    EXPECT_OK(lost_->AcknowledgeOverruns(testing::kNotesVersion, 70000));
    EXPECT_OK(lost_->Charge(testing::ChargeRequestFor(bobs, 2)));
    Publish(bobs, 2, /*intervals_waited=*/4);
    auto charged = lost_->Charge(testing::ChargeRequestFor(bobs, 3));
    EXPECT_OK(charged);
    EXPECT_OK(lost_->Void({.plan_id = bobs.plan_id(),
                           .iteration = 3,
                           .charge_id = std::get<tables::ChargeReceipt>(*charged).charge_id(),
                           .ground = v1::ReleaseVoided::UNREADABLE_DATA,
                           .at_ms = 80000}));
    export_ = testing::ExportOf(*lost_);
    Take(length_);
    fold_.Append(Decide(fold_.state(), RestoreAct{.epoch = 2, .now_ms = 90000}));
  }

  v1::PlanState Reserve(const std::string& principal, int iterations) {
    auto plan =
        lost_->Reserve(testing::ReserveRequestFor(principal, 1, testing::SmallPlan(iterations)));
    EXPECT_OK(plan);
    return *plan;
  }
  void Publish(const v1::PlanState& plan, int iteration, int intervals_waited) {
    auto charged = lost_->Charge(testing::ChargeRequestFor(plan, iteration));
    ASSERT_OK(charged);
    ASSERT_OK(
        lost_->Store(testing::Noised(std::move(charged)), testing::SmallHeader(4), {1, 2, 3, 4}));
    ASSERT_OK(lost_->Publish(testing::PublicationOf(plan, iteration, intervals_waited)));
  }
  void Take(int64_t length) {
    for (int64_t i = 0; i < length; ++i) {
      v1::LedgerEvent event;
      ASSERT_TRUE(event.ParseFromString(export_.entries(static_cast<int>(i)).event()));
      backup_head_ = export_.entries(static_cast<int>(i)).head();
      ASSERT_OK(fold_.Take(event.budget_id(), export_.entries(static_cast<int>(i))));
    }
  }

  absl::Status Thaw(const std::vector<std::string>& with_receipts_of, bool forfeit_unseen = false) {
    const ThawEvidence evidence{.receipts = testing::ReceiptsOf(*lost_, with_receipts_of).receipts,
                                .forfeit_unseen = forfeit_unseen};
    const auto state_at = [&](absl::string_view id, int64_t length) -> absl::StatusOr<BudgetState> {
      return fold_.Prefix(std::string(id), length);
    };
    return fold_.Do(ThawByEventsAct{
        .lost = export_, .evidence = evidence, .state_at = state_at, .now_ms = 95000});
  }

  const BudgetState& budget() { return fold_.budget(lost_.budget_id()); }

  testing::LedgerForTests lost_;
  v1::LedgerExport export_;
  int64_t length_ = 0;
  std::string backup_head_;
  FoldForTests fold_;
};

TEST_F(ThawActsTest, ByEventsTheCountsAreThoseOfTheBudgetsLife) {
  ASSERT_OK_AND_ASSIGN(const auto lost, lost_->StatusOfCorpus(testing::kNotesVersion));
  ASSERT_EQ(lost.overruns, 2);
  ASSERT_EQ(lost.restarts, 1);
  ASSERT_EQ(lost.voided, 1);
  EXPECT_EQ(budget().FindCorpus(testing::kNotesVersion)->overruns, 0) << "the backup knew nothing";
  ASSERT_OK(Thaw({"alice", "bob"}));
  EXPECT_FALSE(budget().frozen());
  const Corpus& corpus = *budget().FindCorpus(testing::kNotesVersion);
  EXPECT_EQ(corpus.overruns, 2);
  EXPECT_EQ(budget().life().restarts, 1);
  EXPECT_EQ(corpus.voided, 1);
  EXPECT_EQ(corpus.unacknowledged(), lost.unacknowledged_overruns);
  EXPECT_TRUE(corpus.paused()) << "nobody has looked at the unreadable data yet";
  EXPECT_EQ(budget().spent(), lost.spent);
  EXPECT_EQ(budget().ReleasesReserved(), lost.releases_by_analyst);
  ASSERT_EQ(budget().restorations().size(), 1);
  EXPECT_EQ(budget().restorations()[0].thaw.head(), lost.head);
  EXPECT_EQ(budget().restorations()[0].thaw.head_sequence(), lost.events);
}

TEST_F(ThawActsTest, WhatIsTakenOverIsTakenWordForWordAndGoesNoFurther) {
  ASSERT_OK(Thaw({"alice", "bob"}));
  for (const auto& [id, plan] : budget().plans()) {
    EXPECT_EQ(plan.state, v1::PlanState::PAUSED);
    EXPECT_EQ(plan.Returnable(), 0);
  }
  const auto& chain = fold_.chain(lost_.budget_id());
  int64_t place = length_ + 1;  // behind the restore
  for (int64_t i = length_; i < export_.entries_size(); ++i, ++place) {
    v1::LedgerEvent lost;
    v1::LedgerEvent taken;
    ASSERT_TRUE(lost.ParseFromString(export_.entries(static_cast<int>(i)).event()));
    ASSERT_TRUE(taken.ParseFromString(chain.at(place).event()));
    EXPECT_EQ(taken.sequence(), place + 1);
    taken.set_sequence(lost.sequence());
    EXPECT_EQ(taken.SerializeAsString(), lost.SerializeAsString());
  }
}

TEST_F(ThawActsTest, WhoeverHasNotShownAReceiptIsNamedOrEverythingIsSpent) {
  EXPECT_THAT(Thaw({"alice"}), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("bob")));
  EXPECT_TRUE(budget().frozen());
  ASSERT_OK(Thaw({"alice"}, /*forfeit_unseen=*/true));
  EXPECT_EQ(budget().spent(), budget().policy().EverythingSpent());
  EXPECT_TRUE(budget().restorations()[0].thaw.forfeited_unseen());
  EXPECT_EQ(budget().FindCorpus(testing::kNotesVersion)->overruns, 2) << "they did happen";
}

// Opened after all that is shown of the notes' chain, and spent from.
TEST_F(ThawActsTest, AReceiptOfABudgetThatTheLedgerDoesNotHaveCountsInTheSums) {
  ASSERT_OK_AND_ASSIGN(const std::string letters, lost_->OpenBudget(testing::LettersBudget()));
  for (int plan : {2, 3}) {
    ASSERT_OK(lost_->Reserve(testing::ReserveRequestFor("bob", plan, testing::LettersPlan(1, 40))));
  }
  ASSERT_OK(Thaw({"alice", "bob"}));
  const v1::BudgetSum& sum = budget().sum();
  ASSERT_EQ(sum.budgets_size(), 1);
  EXPECT_EQ(sum.budgets(0).budget_id(), letters);
  EXPECT_EQ(sum.budgets(0).epsilon(), 2.44);
  EXPECT_GE(sum.epsilon(), 2 * 2.44);
  EXPECT_GE(sum.delta(), 2 * 1e-6);
}

TEST_F(ThawActsTest, AHeadIsContradictedByANewerReceipt) {
  const auto heads_to = [&](absl::string_view id, int64_t length) {
    return fold_.HeadsTo(id, length);
  };
  const ThawEvidence evidence = {.receipts = testing::ReceiptsOf(*lost_, {"alice", "bob"}).receipts,
                                 .forfeit_unseen = true};
  EXPECT_THAT(
      fold_.Do(ThawByHeadAct{
          .head = backup_head_, .evidence = evidence, .heads_to = heads_to, .now_ms = 95000}),
      StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("newer")));
  const ThawEvidence alices = {.receipts = testing::ReceiptsOf(*lost_, {"alice"}).receipts};
  ASSERT_OK(fold_.Do(ThawByHeadAct{
      .head = backup_head_, .evidence = alices, .heads_to = heads_to, .now_ms = 95000}));
  EXPECT_FALSE(budget().frozen());
  EXPECT_EQ(budget().restorations()[0].thaw.head_sequence(), length_);
  // As after an answer that was lost.
  EXPECT_THAT(fold_.Do(ThawByHeadAct{
                  .head = backup_head_, .evidence = alices, .heads_to = heads_to, .now_ms = 96000}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("nothing to thaw")));
}

TEST_F(ThawActsTest, AChainThatDoesNotEndAtTheConfirmedHeadThawsNothing) {
  const auto cut = [&](absl::string_view id, int64_t length) {
    return fold_.HeadsTo(id, length - 1);
  };
  const ThawEvidence alices = {.receipts = testing::ReceiptsOf(*lost_, {"alice"}).receipts};
  EXPECT_THAT(fold_.Do(ThawByHeadAct{
                  .head = backup_head_, .evidence = alices, .heads_to = cut, .now_ms = 95000}),
              StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_TRUE(budget().frozen());
}

TEST_F(ThawActsTest, WhatIsNotFrozenIsNotThawed) {
  ASSERT_OK(fold_.Do(ForfeitAct{.budget_id = lost_.budget_id(), .now_ms = 95000}));
  EXPECT_THAT(fold_.Do(ForfeitAct{.budget_id = lost_.budget_id(), .now_ms = 96000}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(Thaw({"alice", "bob"}), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(fold_.Do(ForfeitAct{.budget_id = "unknown", .now_ms = 96000}),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace topicwall::accountant::ledger
