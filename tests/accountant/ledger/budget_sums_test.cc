#include "accountant/ledger/budget_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/accountant/ledger/fold_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

TEST(BudgetSums, ASumIsNeverRoundedDown) {
  EXPECT_EQ(SumRoundedUp(1, 2), 3);
  EXPECT_EQ(SumRoundedUp(2.44, 0), 2.44);
  // The exact sum lies above the nearest double of each of these, or is it.
  const std::vector<double> numbers = {1e-6, 0.1, 0.2, 0.3, 1.0 / 3, 2.44, 0.7, 1e-300, 5, 1e6};
  for (const double a : numbers) {
    for (const double b : numbers) {
      const auto exact = static_cast<long double>(a) + b;  // 64 bits: one rounding less
      EXPECT_GE(static_cast<long double>(SumRoundedUp(a, b)), exact) << a << " + " << b;
      EXPECT_LE(SumRoundedUp(a, b), std::nextafter(a + b, 1e300)) << a << " + " << b;
    }
  }
}

OpenAct ApartFromA(OpenAct act) {
  v1::DisjointBudget& other = act.disjoint.emplace_back();
  other.set_budget_id("a");
  other.set_reason("other towns");
  return act;
}

TEST(BudgetSums, EveryBudgetThatMayShareIsToldAndWhatIsDeclaredDisjointIsNot) {
  FoldForTests fold;
  fold.Open("a", "notes");
  EXPECT_EQ(fold.budget("a").length(), 2) << "alone: no sum is told";
  EXPECT_EQ(fold.budget("a").sum().epsilon(), 2.44);
  fold.Open("b", "letters");
  ASSERT_OK(fold.Do(ApartFromA(OpenOf("c", "diaries"))));
  EXPECT_EQ(fold.budget("a").sum().epsilon(), 4.88) << "a and b";
  EXPECT_EQ(fold.budget("b").sum().epsilon(), SumRoundedUp(4.88, 2.44)) << "all three";
  EXPECT_EQ(fold.budget("c").sum().epsilon(), 4.88) << "b and c";
  EXPECT_EQ(fold.budget("b").sum().budgets_size(), 2);
  EXPECT_EQ(fold.budget("a").length(), 3) << "told when b opened; c does not concern it";
  fold.Open("d", "ledgers");
  EXPECT_EQ(fold.budget("a").sum().epsilon(), SumRoundedUp(4.88, 2.44)) << "a, b and d";
}

// Of two budgets of other people either may have been told of the lost one; what that declared is
// lost with it.
TEST(BudgetSums, ALostBudgetCountsForAllAndIsToldToAll) {
  FoldForTests fold;
  fold.Open("a", "notes");
  ASSERT_OK(fold.Do(ApartFromA(OpenOf("b", "letters"))));
  EXPECT_EQ(fold.budget("a").sum().budgets_size(), 0);
  v1::BudgetSum told = fold.budget("a").sum();
  v1::SharedBudget& lost = *told.add_budgets();
  lost.set_budget_id("lost");
  lost.set_epsilon(5);
  lost.set_delta(1e-6);
  std::vector<Opening> openings = OpeningsOf(fold.state());
  AddLost(told, &openings);
  AddLost(told, &openings);
  Events events;
  TellSums(fold.state(), openings, "a", 2000, &events);
  fold.Append(events);
  for (const char* budget : {"a", "b"}) {
    EXPECT_EQ(fold.budget(budget).sum().epsilon(), SumRoundedUp(2.44, 5)) << budget;
    EXPECT_EQ(fold.budget(budget).sum().budgets_size(), 1) << budget;
  }
  fold.Open("c", "diaries");
  EXPECT_EQ(fold.budget("c").sum().budgets_size(), 3) << "and to those that come after it";
  EXPECT_EQ(fold.budget("b").sum().budgets_size(), 2);
}

TEST(BudgetSums, AnUnknownBudgetHasNoSum) {
  FoldForTests fold;
  fold.Open("a", "notes");
  EXPECT_EQ(SumOf(OpeningsOf(fold.state()), "nobody").epsilon(), 0);
}

}  // namespace
}  // namespace topicwall::accountant::ledger
