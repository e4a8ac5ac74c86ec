#include "server/ledger/budget_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/ledger/bare_ledger.h"

namespace topicwall::ledger {
namespace {

using accountant::CostVector;
using testing::kNotesVersion;
using testing::StatusIs;

TEST(BudgetTableTest, BudgetsComeBackAsTheyWereWritten) {
  BareLedger bare;
  auto budget = FindBudget(bare.connection(), BareLedger::kBudgetId);
  ASSERT_OK(budget);
  EXPECT_EQ(budget->privacy_unit, v1::PRIVACY_UNIT_OWNER);
  EXPECT_EQ(budget->policy, BareLedger::Budget().policy);
  EXPECT_EQ(budget->spent, BareLedger::Budget().spent);
  EXPECT_EQ(budget->head, proto::GenesisHead());
  EXPECT_FALSE(budget->frozen());
  EXPECT_OK(budget->Policy());
  EXPECT_THAT(FindBudget(bare.connection(), "other"), StatusIs(absl::StatusCode::kNotFound));

  CostVector spent = budget->spent;
  spent[1] = accountant::kDeadOrder;
  ASSERT_OK(SetSpent(bare.connection(), BareLedger::kBudgetId, spent));
  ASSERT_OK(SetRestoredAt(bare.connection(), BareLedger::kBudgetId, 9));
  auto all = AllBudgets(bare.connection());
  ASSERT_OK(all);
  ASSERT_EQ(all->size(), 1);
  EXPECT_EQ(all->front().spent, spent);
  EXPECT_EQ(all->front().restored_at, 9);
  EXPECT_THAT(RequireThawed(all->front()), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(BudgetTableTest, ADamagedRowIsDataLoss) {
  BareLedger bare;
  ASSERT_OK(bare.connection().Run("UPDATE budget SET spent = zeroblob(12)"));
  EXPECT_THAT(FindBudget(bare.connection(), BareLedger::kBudgetId),
              StatusIs(absl::StatusCode::kDataLoss));
  ASSERT_OK(bare.connection().Run("UPDATE budget SET policy = x'ff'"));
  EXPECT_THAT(FindBudget(bare.connection(), BareLedger::kBudgetId),
              StatusIs(absl::StatusCode::kDataLoss));
  BudgetRow no_policy = BareLedger::Budget();
  no_policy.policy = "";
  EXPECT_THAT(no_policy.Policy(), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(BudgetTableTest, ACorpusIsPausedByThreeOverrunsThatNobodyAcknowledged) {
  BareLedger bare;
  CorpusRow corpus = BareLedger::Corpus();
  for (const auto& [overruns, acknowledged, paused] :
       {std::tuple{2, 0, false}, {3, 0, true}, {3, 1, false}, {9, 6, true}, {9, 9, false}}) {
    corpus.overruns = overruns;
    corpus.acknowledged = acknowledged;
    ASSERT_OK(SetCounters(bare.connection(), corpus));
    auto open = FindWithBudget(bare.connection(), kNotesVersion);
    ASSERT_OK(open);
    EXPECT_EQ(open->corpus.paused(), paused);
    EXPECT_EQ(RequireOpen(*open).ok(), !paused);
  }
  for (const auto& [voided, unreadable, paused] :
       {std::tuple{2, 0, false}, {3, 0, true}, {1, 1, true}, {1, 0, false}}) {
    corpus = BareLedger::Corpus();
    corpus.voided = voided;
    corpus.unreadable = unreadable;
    corpus.restarts = 100;
    ASSERT_OK(SetCounters(bare.connection(), corpus));
    EXPECT_EQ(FindCorpus(bare.connection(), kNotesVersion)->paused(), paused);
    EXPECT_EQ(FindCorpus(bare.connection(), kNotesVersion)->restarts, 100);
  }
  EXPECT_THAT(FindCorpus(bare.connection(), "other"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(FindWithBudget(bare.connection(), "other"),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(AllCorpora(bare.connection())->size(), 1);
}

TEST(BudgetTableTest, AnalystsAccountsStartAtNothing) {
  BareLedger bare;
  const BudgetRow budget = BareLedger::Budget();
  const CostVector nothing(budget.spent.size(), 0), some(budget.spent.size(), 8);
  EXPECT_EQ(*AnalystSpent(bare.connection(), budget, "alice"), nothing);
  ASSERT_OK(SetAnalystSpent(bare.connection(), budget.budget_id, "alice", nothing));
  ASSERT_OK(SetAnalystSpent(bare.connection(), budget.budget_id, "alice", some));
  EXPECT_EQ(*AnalystSpent(bare.connection(), budget, "alice"), some);
  EXPECT_EQ(*AnalystSpent(bare.connection(), budget, "Alice"), nothing);
  EXPECT_EQ(AllAnalystsSpent(bare.connection(), budget)->size(), 1);
}

TEST(BudgetTableTest, ReservedReleasesAreCountedPerBudgetAndAnalyst) {
  BareLedger bare;
  EXPECT_THAT(*ReleasesReserved(bare.connection(), BareLedger::kBudgetId), ::testing::IsEmpty());
  CorpusRow other = BareLedger::Corpus();  // another corpus of the same budget
  other.corpus_version = testing::kLettersVersion;
  ASSERT_OK(InsertCorpus(bare.connection(), other));
  ASSERT_OK(InsertPlan(bare.connection(), BareLedger::Plan("p", "alice")));
  PlanRow second = BareLedger::Plan("q", "bob");
  second.reserved_iterations = 2;
  second.corpus_version = testing::kLettersVersion;
  ASSERT_OK(InsertPlan(bare.connection(), second));
  EXPECT_THAT(*ReleasesReserved(bare.connection(), BareLedger::kBudgetId),
              ::testing::ElementsAre(::testing::Pair("alice", 5), ::testing::Pair("bob", 2)));
  EXPECT_THAT(*ReleasesReserved(bare.connection(), "other"), ::testing::IsEmpty());
}

}  // namespace
}  // namespace topicwall::ledger
