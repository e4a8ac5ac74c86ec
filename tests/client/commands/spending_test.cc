#include "client/commands/spending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/model.pb.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string RowsOf(const PaidWhen& when) {
  v1::EvaluationFile file;
  file.set_epsilon_taken(0.25);
  base::Table table;
  AddPaidRows(PaidFor(file), when, table);
  return table.Text(2);
}

std::string JsonOf(const PaidWhen& when) {
  v1::EvaluationFile file;
  file.set_epsilon_taken(0.25);
  base::JsonObject object;
  AddPaidJson(PaidFor(file), when, object);
  return object.Text();
}

// "Nothing was paid" would be the wrong word for a plan that was paid a moment ago.
TEST(SpendingTest, WhatWasPaidJustNowIsNotFoundBeforeThoughTheWallIsGone) {
  const PaidWhen gone = {.was_finished = false};
  EXPECT_THAT(RowsOf(gone), AllOf(HasSubstr("took  0.2500"), HasSubstr("the wall does not tell"),
                                  Not(HasSubstr("nothing was paid"))));
  EXPECT_THAT(JsonOf(gone),
              AllOf(HasSubstr("\"was_finished\":false"), Not(HasSubstr("epsilon_left"))));
  EXPECT_THAT(RowsOf({}), HasSubstr("nothing was paid"));
  EXPECT_THAT(JsonOf({}), HasSubstr("\"was_finished\":true"));
}

TEST(SpendingTest, ASumThatWasToldWhenItWasPaidIsNotToldAsTodays) {
  v1::BudgetSum sum;
  sum.add_budgets()->set_budget_id("other");
  sum.set_epsilon(3);
  v1::BudgetStatus budget;
  *budget.mutable_sum() = sum;
  v1::EvaluationFile file;
  *file.mutable_sum() = sum;
  const auto rows = [&file](const PaidWhen& when) {
    base::Table table;
    AddPaidRows(PaidFor(file), when, table);
    return table.Text(2);
  };
  EXPECT_THAT(rows({}), HasSubstr("together  when it was paid epsilon 3.0000"));
  EXPECT_THAT(rows({.was_finished = false, .budget = budget}),
              HasSubstr("together  epsilon 3.0000"));
}

}  // namespace
}  // namespace topicwall::client
