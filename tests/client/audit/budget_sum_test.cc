#include "client/audit/budget_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/table.h"
#include "client/exit_code.h"
#include "proto/budget_refusal.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

v1::BudgetSum Sum(const std::vector<std::string>& others) {
  v1::BudgetSum sum;
  for (const std::string& id : others) {
    v1::SharedBudget& other = *sum.add_budgets();
    other.set_budget_id(id);
    other.set_epsilon(2);
    other.set_delta(1e-6);
  }
  sum.set_epsilon(3 + 2 * static_cast<double>(others.size()));
  sum.set_delta(1e-6 * static_cast<double>(1 + others.size()));
  return sum;
}

TEST(BudgetSumTest, ABudgetThatStandsAloneHasNothingToAdd) {
  base::Table table;
  AddSumRow(Sum({}), table);
  EXPECT_EQ(table.Text(), "");
  EXPECT_EQ(SumText(Sum({})), "");
  EXPECT_EQ(SumJson(Sum({})), "null");
}

TEST(BudgetSumTest, TellsTheSumAndOfHowMany) {
  EXPECT_THAT(SumText(Sum({"a"})),
              AllOf(HasSubstr("epsilon 5.0000 at delta 2e-06"), HasSubstr("1 other budget that")));
  EXPECT_THAT(SumText(Sum({"a", "b"})), HasSubstr("2 other budgets that may"));
  v1::BudgetSum more = Sum({"a"});
  more.set_epsilon(121.96103);
  more.set_delta(1.0000002e-5);
  EXPECT_THAT(SumText(more), HasSubstr("epsilon 121.9611 at delta 1.01e-05"))
      << "a promise is never told as less than it is";
  EXPECT_THAT(SumJson(Sum({"a"})), HasSubstr("\"epsilon\":5"));
}

// A pair of δ = 1 or more holds of anything; its ε would look like a promise.
TEST(BudgetSumTest, WhereTheDeltasAddUpToOneNoPromiseIsTold) {
  v1::BudgetSum sum = Sum({"a", "b"});
  for (const double delta : {1.0, 1.01}) {
    sum.set_delta(delta);
    EXPECT_EQ(SumText(sum),
              "no promise (delta would be 1), with 2 other budgets that may concern the same "
              "people");
  }
  sum.set_delta(0.99);
  EXPECT_THAT(SumText(sum), HasSubstr("epsilon 7.0000 at delta 0.99"));
}

TEST(BudgetSumTest, IsTheSameInAnyOrderAndWithNoOtherNumber) {
  EXPECT_TRUE(IsSameSum(Sum({"a", "b"}), Sum({"b", "a"})));
  EXPECT_TRUE(IsSameSum(v1::BudgetSum(), Sum({})));
  EXPECT_FALSE(IsSameSum(Sum({"a"}), Sum({"b"})));
  EXPECT_FALSE(IsSameSum(Sum({"a"}), Sum({})));
  v1::BudgetSum other = Sum({"a"});
  other.set_epsilon(4.9);
  EXPECT_FALSE(IsSameSum(other, Sum({"a"})));
  other = Sum({"a"});
  other.set_delta(1e-6);
  EXPECT_FALSE(IsSameSum(other, Sum({"a"})));
  other = Sum({"a"});
  other.mutable_budgets(0)->set_epsilon(1);
  EXPECT_FALSE(IsSameSum(other, Sum({"a"})));
}

TEST(BudgetSumTest, ARefusalTellsItToo) {
  v1::PrivacyBudgetExhausted detail;
  detail.set_limit("corpus");
  const absl::Status refusal = proto::BudgetRefusal("no budget", detail);
  EXPECT_THAT(Explain(WithSum(refusal, Sum({"a"}))), HasSubstr("all together  epsilon 5.0000"));
  EXPECT_EQ(ExitCodeOf(WithSum(refusal, Sum({"a"}))), ExitCode::kBudgetRefused);
  EXPECT_THAT(Explain(WithSum(refusal, Sum({}))), Not(HasSubstr("together")));
  EXPECT_TRUE(WithSum(absl::OkStatus(), Sum({"a"})).ok());
}

}  // namespace
}  // namespace topicwall::client
