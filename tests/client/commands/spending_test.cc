#include "client/commands/spending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

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

// 0.01011 more than 0.38001 is from 0.3801 to 0.3902.
TEST(SpendingTest, WhatWasPaidIsToldAsTheQuoteToldIt) {
  v1::LengthsFile file;
  file.set_epsilon_before(0.38001);
  file.set_epsilon_taken(0.01011);
  PaidQuote quote;
  quote.taking = {.total = 2.44, .before = 0.38001, .after = 0.38001 + 0.01011};
  base::Table before, after;
  AddTakingRows(quote, before);
  AddPaidRows(PaidFor(file), {}, after);
  EXPECT_THAT(before.Text(2), HasSubstr("takes  0.0101 of the 2.0599 left"));
  EXPECT_THAT(after.Text(2), HasSubstr("took  0.0101 of the budget"));
}

std::string Takes(const Taking& taking) {
  PaidQuote quote;
  quote.taking = taking;
  quote.price.set_delta(1e-6);
  base::Table table;
  AddTakingRows(quote, table);
  return table.Text();
}

TEST(SpendingTest, BeyondTheVouchersItIsSaidInWordsAndNoNumberOfWhatIsLeftThen) {
  const Taking beyond = {
      .total = 1.3535, .after = std::numeric_limits<double>::infinity(), .of_vouchers = true};
  EXPECT_THAT(Takes(beyond),
              AllOf(HasSubstr("takes  more than the vouchers that are left (1.3535 in all, at "
                              "delta 1e-06)"),
                    Not(HasSubstr("inf")), Not(HasSubstr("left then"))));
  EXPECT_THAT(Takes({.total = 2.44, .before = 2.44, .after = beyond.after}),
              AllOf(HasSubstr("takes  more than all of the 0.0000 left"), Not(HasSubstr("inf"))));
}

TEST(SpendingTest, AllThatIsLeftIsNotToldAsMoreThanIt) {
  EXPECT_THAT(Takes({.total = 1.380745, .after = 1.380745, .of_vouchers = true}),
              HasSubstr("takes  all of the 1.3807 left (1.3808 in all, at delta 1e-06); 0.0000 is "
                        "left then"));
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
