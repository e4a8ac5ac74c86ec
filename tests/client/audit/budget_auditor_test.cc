#include "client/audit/budget_auditor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/client/chain_builder.h"
#include "tests/support/status_matchers.h"

namespace topicwall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::topicwall::testing::StatusIs;

// Two analysts, a cancelled plan, a few charges.
ChainBuilder History() {
  ChainBuilder chain;
  chain.Reserve("alice", "plan-a", 20, 10);
  chain.Charge("alice", "plan-a", 1);
  chain.Publish("alice", "plan-a", 1);
  chain.Reserve("bob", "plan-b", 25, 5);
  chain.Charge("alice", "plan-a", 2);
  chain.Charge("bob", "plan-b", 3);
  chain.Publish("bob", "plan-b", 3);
  chain.Cancel("bob", "plan-b", 4);
  return chain;
}

TEST(AuditLedgerTest, AnHonestLedgerHasNoFindingsAndAddsUpToWhatIsStated) {
  ChainBuilder chain = History();
  const v1::BudgetStatus budget = chain.Budget();
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), budget));
  EXPECT_THAT(audit.findings, IsEmpty());
  EXPECT_EQ(audit.epsilon_upper_bound, budget.epsilon_spent());
  EXPECT_EQ(audit.head, budget.chain_head());
  EXPECT_EQ(audit.entries, 10);
  EXPECT_EQ(audit.unseen_entries, 0);
  EXPECT_EQ(audit.budget_id, "budget");
  ASSERT_EQ(audit.plans.size(), 2u);
  EXPECT_EQ(audit.plans[0].charged, 2);
  EXPECT_EQ(audit.plans[1].charged, 1);
  EXPECT_EQ(audit.plans[1].returned, 4);
  EXPECT_TRUE(audit.plans[1].cancelled);
}

TEST(AuditLedgerTest, OtherAccountantsPriceTheSameReleasesAndTheTightestIsBelowTheFilter) {
  ChainBuilder chain = History();
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), chain.Budget()));
  double least = 1e9;
  for (const NamedEpsilon& other : audit.information) least = std::min(least, other.epsilon.upper);
  EXPECT_GE(audit.information.size(), 3u);
  EXPECT_GT(least, 0);
  EXPECT_LT(least, audit.epsilon_upper_bound);
  EXPECT_GT(audit.odometer_upper_bound, audit.epsilon_upper_bound);
}

TEST(AuditLedgerTest, TheSumOverBudgetsThatIsStatedMustBeTheOneTheChainTold) {
  ChainBuilder chain = History();
  chain.TellSum(chain.SumWith(1, 1e-6));
  chain.TellSum(chain.SumWith(3, 1e-6));
  auto audit = AuditLedger(chain.entries(), chain.Budget());
  ASSERT_OK(audit);
  EXPECT_THAT(audit->findings, IsEmpty());
  EXPECT_EQ(audit->sum.budgets(0).epsilon(), 3);
  for (const v1::BudgetSum& stated :
       {v1::BudgetSum(), chain.SumWith(1, 1e-6), chain.SumWith(3, 1e-7)}) {
    v1::BudgetStatus budget = chain.Budget();
    *budget.mutable_sum() = stated;
    audit = AuditLedger(chain.entries(), budget);
    ASSERT_OK(audit);
    EXPECT_THAT(audit->findings, ElementsAre(HasSubstr("the chain told: epsilon 5.4400")));
  }
}

TEST(AuditLedgerTest, WhereAnEarlierVersionWroteTheChainTheSumIsTheWallsWord) {
  ChainBuilder chain = History();
  v1::BudgetStatus budget = chain.Budget();
  *budget.mutable_sum() = chain.SumWith(1, 1e-6);
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), budget));
  EXPECT_THAT(audit.findings, IsEmpty());
  EXPECT_DOUBLE_EQ(audit.sum.epsilon(), 3.44);
}

TEST(AuditLedgerTest, ARestoreIsTold) {
  ChainBuilder chain = History();
  v1::LedgerEvent event;
  event.mutable_budget_restored()->set_epoch(1);
  chain.Append(event);
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), chain.Budget()));
  ASSERT_EQ(audit.restores.size(), 1u);
  EXPECT_EQ(audit.restores[0].sequence, 11);
}

TEST(AuditLedgerTest, WhatWasForfeitedCountsAsTheWholeBudget) {
  ChainBuilder chain = History();
  chain.Forfeit();
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), chain.Budget()));
  EXPECT_TRUE(audit.forfeited);
  EXPECT_EQ(audit.epsilon_upper_bound, 2.44);
  EXPECT_EQ(audit.odometer_upper_bound, 2.44);
  EXPECT_THAT(audit.findings, IsEmpty());
}

TEST(AuditLedgerTest, AnyBitOfAnEntryChangedIsDataLossAtThatEntry) {
  for (size_t i = 0; i < History().entries().size(); ++i) {
    for (const int part : {0, 1, 2, 3}) {
      ChainBuilder chain = History();
      v1::LedgerEntry& entry = chain.entries()[i];
      std::string& bytes = part == 0   ? *entry.mutable_event()
                           : part == 1 ? *entry.mutable_salt()
                           : part == 2 ? *entry.mutable_commitment()
                                       : *entry.mutable_head();
      bytes[bytes.size() / 2] ^= 1;
      EXPECT_THAT(AuditLedger(chain.entries(), chain.Budget()),
                  StatusIs(absl::StatusCode::kDataLoss, HasSubstr(absl::StrCat(i + 1))));
    }
  }
}

TEST(AuditLedgerTest, AnEntryLeftOutOrMovedIsDataLoss) {
  for (size_t i = 0; i + 1 < History().entries().size(); ++i) {
    ChainBuilder missing = History();
    missing.entries().erase(missing.entries().begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THAT(AuditLedger(missing.entries(), missing.Budget()),
                StatusIs(absl::StatusCode::kDataLoss));
    ChainBuilder moved = History();
    std::swap(moved.entries()[i], moved.entries()[i + 1]);
    EXPECT_THAT(AuditLedger(moved.entries(), moved.Budget()),
                StatusIs(absl::StatusCode::kDataLoss));
  }
}

TEST(AuditLedgerTest, AnEndCutOffShowsAgainstWhatGetBudgetCounts) {
  ChainBuilder chain = History();
  const v1::BudgetStatus budget = chain.Budget();
  chain.entries().pop_back();
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), budget));
  EXPECT_THAT(audit.findings, ElementsAre(HasSubstr("only 9 were sent")));
}

TEST(AuditLedgerTest, AnotherHistoryOfTheSameLengthShowsByItsHead) {
  ChainBuilder chain = History();
  ChainBuilder other;
  other.Reserve("alice", "plan-x", 20, 10);
  for (int i = 1; i <= 7; ++i) other.Charge("alice", "plan-x", i);
  ASSERT_EQ(other.entries().size(), chain.entries().size());
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), other.Budget()));
  EXPECT_THAT(audit.findings, Not(IsEmpty()));
  EXPECT_THAT(audit.findings[0], HasSubstr("two histories"));
}

TEST(AuditLedgerTest, EventsBehindTheMomentOfGetBudgetDoNotDisturbTheComparison) {
  ChainBuilder chain = History();
  const v1::BudgetStatus budget = chain.Budget();
  chain.Reserve("carol", "plan-c", 30, 3);
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), budget));
  EXPECT_THAT(audit.findings, IsEmpty());
  EXPECT_GT(audit.epsilon_upper_bound, budget.epsilon_spent());
}

TEST(AuditLedgerTest, AStatedSumThatIsNotThatOfTheEventsIsAFinding) {
  ChainBuilder chain = History();
  v1::BudgetStatus lower = chain.Budget();
  for (uint64_t& spent : *lower.mutable_spent()) spent -= spent / 1000;
  auto audit = AuditLedger(chain.entries(), lower);
  ASSERT_OK(audit);
  EXPECT_THAT(audit->findings, ElementsAre(HasSubstr("the events add up to")));

  v1::BudgetStatus other_principal = chain.Budget();
  other_principal.mutable_principals(0)->set_epsilon_spent(0.01);
  audit = AuditLedger(chain.entries(), other_principal);
  ASSERT_OK(audit);
  EXPECT_THAT(audit->findings, ElementsAre(HasSubstr("alice spent epsilon 0.01")));

  v1::BudgetStatus other_filter = chain.Budget();
  other_filter.mutable_filter()->set_epsilon(9);
  audit = AuditLedger(chain.entries(), other_filter);
  ASSERT_OK(audit);
  EXPECT_THAT(audit->findings, ElementsAre(HasSubstr("another policy")));
}

// The last bit of a weight is δ that another witness may spend.
TEST(AuditLedgerTest, AFilterThatDiffersInAnyNumberIsAnotherPolicy) {
  const v1::FilterRecord opened = History().Budget().filter();
  ASSERT_GT(opened.gaussian_weight(), 0.5);
  for (const auto& change : std::vector<void (*)(v1::FilterRecord&)>{
           [](auto& filter) { filter.set_epsilon(std::nextafter(filter.epsilon(), 3)); },
           [](auto& filter) { filter.set_delta(std::nextafter(filter.delta(), 1)); },
           [](auto& filter) { filter.set_orders(0, std::nextafter(filter.orders(0), 1)); },
           [](auto& filter) { filter.set_weights(0, filter.weights(0) - 0x1p-32); },
           [](auto& filter) { filter.set_gaussian_weight(filter.gaussian_weight() - 0x1p-32); },
       }) {
    ChainBuilder chain = History();
    v1::BudgetStatus budget = chain.Budget();
    change(*budget.mutable_filter());
    ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), budget));
    EXPECT_THAT(audit.findings, ElementsAre(HasSubstr("another policy")))
        << budget.filter().ShortDebugString().substr(0, 100);
  }
}

TEST(AuditLedgerTest, AnAnalystSeesItsOwnPlansAndHowMuchItDoesNotSee) {
  ChainBuilder chain = History();
  v1::BudgetStatus budget = chain.BudgetSeenBy("alice");
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.SeenBy("alice"), budget));
  EXPECT_THAT(audit.findings, IsEmpty());
  EXPECT_EQ(audit.unseen_entries, 4);
  ASSERT_EQ(audit.plans.size(), 1u);
  EXPECT_EQ(audit.epsilon_upper_bound, budget.own().epsilon_spent());
  EXPECT_EQ(audit.head, budget.chain_head());
}

// Every sum of theirs would be 0, and all else in order.
TEST(AuditLedgerTest, EntriesThatAreKeptBackFromAnAuditorAreAFinding) {
  ChainBuilder chain = History();
  v1::BudgetStatus budget = chain.Budget();
  for (uint64_t& spent : *budget.mutable_spent()) spent = 0;
  budget.set_epsilon_spent(0);
  budget.clear_principals();
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.SeenBy("nobody"), budget));
  EXPECT_EQ(audit.unseen_entries, 8);
  EXPECT_THAT(audit.findings, ElementsAre(HasSubstr("8 entries came as commitments only")));
}

TEST(AuditLedgerTest, LessThanAnAnalystsOwnEventsAddUpToIsAFinding) {
  ChainBuilder chain = History();
  v1::BudgetStatus budget = chain.BudgetSeenBy("alice");
  for (uint64_t& spent : *budget.mutable_spent()) spent /= 2;
  budget.set_epsilon_spent(
      chain.policy().EpsilonUpperBound({budget.spent().begin(), budget.spent().end()}));
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.SeenBy("alice"), budget));
  EXPECT_THAT(audit.findings, ElementsAre(HasSubstr("the events add up to")));
}

ChainBuilder VoucherHistory() {
  ChainBuilder chain(ChainBuilder::Vouchers());
  chain.Reserve("alice", "plan-a", 40, 7);
  chain.Charge("alice", "plan-a", 1);
  chain.Publish("alice", "plan-a", 1);
  chain.Reserve("bob", "plan-b", 25, 2);
  chain.Cancel("alice", "plan-a", 5);
  return chain;
}

TEST(AuditLedgerTest, AnHonestLedgerOfVouchersHasNoFindings) {
  ChainBuilder chain = VoucherHistory();
  const v1::BudgetStatus budget = chain.Budget();
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), budget));
  EXPECT_THAT(audit.findings, IsEmpty());
  EXPECT_EQ(audit.epsilon_upper_bound, budget.epsilon_spent());
  EXPECT_EQ(audit.odometer_upper_bound, audit.budget.epsilon);
  EXPECT_EQ(audit.budget.epsilon, 2.44);
}

TEST(AuditLedgerTest, AStatedDrawThatIsNotThatOfTheEventsIsAFinding) {
  ChainBuilder chain = VoucherHistory();
  v1::BudgetStatus fewer = chain.Budget();
  fewer.set_spent(1, fewer.spent(1) - 1);
  auto audit = AuditLedger(chain.entries(), fewer);
  ASSERT_OK(audit);
  EXPECT_THAT(audit->findings, ElementsAre(HasSubstr("the events add up to")));

  v1::BudgetStatus more = chain.Budget();
  more.mutable_inventory()->mutable_kinds(0)->set_count(60);
  audit = AuditLedger(chain.entries(), more);
  ASSERT_OK(audit);
  EXPECT_THAT(audit->findings, ElementsAre(HasSubstr("another policy")));

  v1::BudgetStatus other = chain.Budget();
  *other.mutable_filter() = History().Budget().filter();
  audit = AuditLedger(chain.entries(), other);
  ASSERT_OK(audit);
  EXPECT_THAT(audit->findings, ElementsAre(HasSubstr("another policy")));
}

TEST(AuditLedgerTest, VouchersThatDoNotKeepTheirBudgetAreAFinding) {
  ChainBuilder chain(*accountant::AdmissionPolicy::Create(
      *accountant::MakeInventorySpec({.epsilon = 1, .delta = 1e-6}, {{6, 1, 40}})));
  ASSERT_OK_AND_ASSIGN(const auto audit, AuditLedger(chain.entries(), chain.Budget()));
  EXPECT_THAT(audit.findings, ElementsAre(HasSubstr("beyond the budget's 1")));
}

TEST(AuditLedgerTest, WithoutTheOpeningNothingCanBeSaid) {
  ChainBuilder chain = History();
  chain.entries()[0].clear_event();
  chain.entries()[0].clear_salt();
  EXPECT_THAT(AuditLedger(chain.entries(), chain.Budget()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("opening")));
  EXPECT_THAT(AuditLedger({}, chain.Budget()), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace topicwall::client
