// What is not seen by the contract of ledgers, which runs with the fold in tests/server/ledger.
#include "accountant/ledger/custodian_acts.h"

#include <gtest/gtest.h>

#include "tests/accountant/ledger/fold_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

using testing::StatusIs;

TEST(CustodianActs, AnOpeningIsOneChainsBeginningAndTellsTheOthers) {
  FoldForTests fold;
  fold.Open("a", "notes");
  ASSERT_OK_AND_ASSIGN(const auto decided, Decide(fold.state(), OpenOf("b", "letters")));
  ASSERT_EQ(decided.size(), 4);
  EXPECT_TRUE(decided[0].has_budget_opened());
  EXPECT_TRUE(decided[1].has_corpus_joined());
  for (int i : {0, 1, 2}) {
    EXPECT_EQ(decided[i].budget_id(), "b");
    EXPECT_EQ(decided[i].sequence(), i + 1);
  }
  EXPECT_TRUE(decided[2].has_budgets_summed());
  EXPECT_EQ(decided[3].budget_id(), "a");
  EXPECT_EQ(decided[3].sequence(), 3);
}

TEST(CustodianActs, AnOpeningTellsWhetherTheLedgerWasRestoredBefore) {
  FoldForTests fold;
  OpenAct act = OpenOf("a", "notes");
  EXPECT_FALSE((*Decide(fold.state(), act))[0].budget_opened().after_restore());
  act.after_restore = true;
  EXPECT_TRUE((*Decide(fold.state(), act))[0].budget_opened().after_restore());
}

TEST(CustodianActs, ARefusedOpeningNamesWhatIsWrong) {
  FoldForTests fold;
  fold.Open("a", "notes");
  OpenAct act = OpenOf("b", "notes");
  EXPECT_THAT(Decide(fold.state(), act), StatusIs(absl::StatusCode::kAlreadyExists));
  act = OpenOf("b", "letters");
  act.corpus_version.pop_back();
  EXPECT_THAT(Decide(fold.state(), act), StatusIs(absl::StatusCode::kInvalidArgument));
  act = OpenOf("b", "letters");
  act.privacy_unit = v1::PRIVACY_UNIT_UNSPECIFIED;
  EXPECT_THAT(Decide(fold.state(), act), StatusIs(absl::StatusCode::kInvalidArgument));
  act = OpenOf("b", "letters");
  act.disjoint.emplace_back().set_budget_id("nobody");
  EXPECT_THAT(Decide(fold.state(), act), StatusIs(absl::StatusCode::kNotFound));
  act.disjoint[0].set_budget_id("a");
  EXPECT_THAT(Decide(fold.state(), act), StatusIs(absl::StatusCode::kInvalidArgument));
  InventorySpec beyond = SixVouchers();
  beyond.kinds[0].count = 1000000;
  act = OpenOf("b", "letters");
  act.policy = beyond;
  EXPECT_THAT(Decide(fold.state(), act), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(CustodianActs, AFrozenBudgetIsNeitherJoinedNorAcknowledged) {
  FoldForTests fold;
  fold.Open("a", "notes");
  const JoinAct join = {
      .budget_id = "a", .corpus = "more", .corpus_version = VersionOf("more"), .now_ms = 1};
  EXPECT_OK(Decide(fold.state(), join));
  fold.Append(Decide(fold.state(), RestoreAct{.epoch = 2, .now_ms = 1}));
  EXPECT_THAT(Decide(fold.state(), join), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(
      Decide(fold.state(), AcknowledgeAct{.corpus_version = VersionOf("notes"), .now_ms = 1}),
      StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(
      Decide(fold.state(), AcknowledgeAct{.corpus_version = VersionOf("more"), .now_ms = 1}),
      StatusIs(absl::StatusCode::kNotFound));
}

TEST(CustodianActs, ARestoreFreezesEveryBudgetAlsoAFrozenOne) {
  FoldForTests fold;
  fold.Open("a", "notes");
  fold.Open("b", "letters");
  for (const int64_t epoch : {2, 3}) {
    const Events events = Decide(fold.state(), RestoreAct{.epoch = epoch, .now_ms = 1});
    ASSERT_EQ(events.size(), 2);
    fold.Append(events);
    for (const char* id : {"a", "b"}) {
      EXPECT_EQ(fold.budget(id).freeze()->sequence, fold.budget(id).length());
    }
  }
}

}  // namespace
}  // namespace topicwall::accountant::ledger
