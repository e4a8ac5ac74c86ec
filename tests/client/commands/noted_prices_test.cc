#include "client/commands/audit/noted_prices.h"

#include <gmock/gmock.h>

#include "client/audit/enforced_price.h"
#include "client/evaluate/lengths_file.h"
#include "client/evaluate/wall_lengths.h"
#include "tests/client/evaluate/paid_plan_frame.h"
#include "tests/client/local_wall.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace noted_prices_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NotedPricesTest : public PaidPlanFrame<LengthsQuote> {
 protected:
  NotedPricesTest() : PaidPlanFrame(/*planted=*/{}, /*releases=*/1) { FinishModel(); }
};

TEST_F(NotedPricesTest, OfLengthsAreHeldAgainstTheLedgerToo) {
  const LengthsWish wish = {.corpus = "notes", .noise = {.epsilon = 0.05}};
  ASSERT_OK_AND_ASSIGN(WallLengths lengths, AskLengths(wall_, *directory_, wish, Hooks()));
  ASSERT_OK_AND_ASSIGN(const auto chain, wall_.ReadLedger("notes", 1));
  EXPECT_THAT(*PriceFindings(directory_->path(), chain), IsEmpty());
  lengths.file.set_epsilon(0.01);
  ASSERT_OK(WritePaid(lengths.file, LengthsPath(directory_->path(), wish)));
  ASSERT_OK_AND_ASSIGN(const auto findings, PriceFindings(directory_->path(), chain));
  EXPECT_THAT(findings, ElementsAre(HasSubstr("says that it cost epsilon 0.01 alone")));
}

// What a file says of all budgets together was the wall's word when it was made.
TEST_F(NotedPricesTest, SumsThatTheLedgerNeverToldAreFindings) {
  v1::BudgetSum& sum = *wall_.description().mutable_sum();
  sum.add_budgets()->set_budget_id("other");
  sum.mutable_budgets(0)->set_epsilon(5);
  sum.mutable_budgets(0)->set_delta(1e-6);
  sum.set_epsilon(wall_.policy().budget().epsilon + 5);
  sum.set_delta(wall_.policy().budget().delta + 1e-6);
  const LengthsWish wish = {.corpus = "notes", .noise = {.epsilon = 0.05}};
  ASSERT_OK_AND_ASSIGN(WallLengths lengths, AskLengths(wall_, *directory_, wish, Hooks()));
  ASSERT_OK_AND_ASSIGN(const auto chain, wall_.ReadLedger("notes", 1));
  EXPECT_THAT(*PriceFindings(directory_->path(), chain), IsEmpty());
  lengths.file.clear_sum();
  ASSERT_OK(WritePaid(lengths.file, LengthsPath(directory_->path(), wish)));
  ASSERT_OK_AND_ASSIGN(const auto findings, PriceFindings(directory_->path(), chain));
  EXPECT_THAT(findings, ElementsAre(HasSubstr("there is no other")));
}

}  // namespace noted_prices_test
}  // namespace topicwall::client
