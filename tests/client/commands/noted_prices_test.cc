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

// What a plan takes depends on what was spent before, which the chain knows.
TEST_F(NotedPricesTest, WhatPlansTookIsRecountedWhereAllEntriesAreSeen) {
  const LengthsWish wish = {.corpus = "notes", .noise = {.epsilon = 0.05}};
  ASSERT_OK_AND_ASSIGN(WallLengths lengths, AskLengths(wall_, *directory_, wish, Hooks()));
  ASSERT_OK_AND_ASSIGN(auto chain, wall_.ReadLedger("notes", 1));
  const v1::LengthsFile paid = lengths.file;
  const auto findings = [&](const v1::LengthsFile& file) {
    EXPECT_OK(WritePaid(file, LengthsPath(directory_->path(), wish)));
    auto found = PriceFindings(directory_->path(), chain);
    EXPECT_OK(found);
    return found.ok() ? *found : std::vector<std::string>{"none"};
  };
  EXPECT_THAT(findings(paid), IsEmpty());
  lengths.file.set_epsilon_taken(paid.epsilon_taken() / 2);
  EXPECT_THAT(findings(lengths.file), ElementsAre(HasSubstr("by the ledger its plans took")));
  lengths.file = paid;
  lengths.file.set_epsilon_before(paid.epsilon_before() + 0.5);
  EXPECT_THAT(findings(lengths.file), ElementsAre(HasSubstr("by the ledger its plans took")));
  lengths.file = paid;
  lengths.file.set_epsilon(0.01);
  lengths.file.mutable_plan()->set_plan_id("another");
  // As this ledger has its corpus.
  lengths.file.mutable_plan()->mutable_plan()->clear_corpus_version();
  EXPECT_THAT(findings(lengths.file), ElementsAre(HasSubstr("has no such plan")));
  // An entry that is not seen may be that plan, or have been spent before.
  v1::LedgerEntry& hidden = chain.back();
  hidden.clear_event();
  hidden.clear_salt();
  EXPECT_THAT(findings(lengths.file), IsEmpty());
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
