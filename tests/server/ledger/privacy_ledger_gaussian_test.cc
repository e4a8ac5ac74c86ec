// A budget whose filter has a Gaussian witness, through the ledger: vectors one entry longer, in
// rows, events, refunds and restarts.
#include <gtest/gtest.h>

#include <limits>

#include "accountant/filters/gaussian_witness.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::EntriesSeenBy;
using testing::LedgerForTests;
using testing::PurseOf;
using testing::ReserveRequestFor;
using testing::SmallPlan;
using testing::StatusIs;

v1::BudgetStatus BudgetOf(LedgerForTests& wall) {
  auto budget = wall->Budget({.corpus_version = testing::kNotesVersion,
                              .reader = {"ann", true},
                              .purse = PurseOf("ann"),
                              .reference_plan = std::nullopt});
  EXPECT_OK(budget);
  return *budget;
}

// The last PlanReserved of the chain.
v1::PlanReserved LastReserved(LedgerForTests& wall) {
  v1::PlanReserved last;
  for (const v1::LedgerEntry& entry : EntriesSeenBy(*wall, {"ann", true})) {
    v1::LedgerEvent event;
    EXPECT_TRUE(event.ParseFromString(entry.event()));
    if (event.has_plan_reserved()) last = event.plan_reserved();
  }
  return last;
}

// mpmath: μ*² = 1229042517 units of 2^-32, and 108,212,832 buy a release of σ = 6.3: eleven fit.
TEST(PrivacyLedgerGaussianTest, ElevenFullBatchesFitWhereRenyiOrdersAloneHoldNine) {
  LedgerForTests before;
  LedgerForTests now(testing::FullBatchNotesBudget());
  EXPECT_EQ(before->Price(PurseOf("alice"), SmallPlan(1, 6.3))->most_iterations(), 9);
  EXPECT_EQ(now->Price(PurseOf("alice"), SmallPlan(1, 6.3))->most_iterations(), 11);
  EXPECT_THAT(now->Reserve(ReserveRequestFor("alice", 1, SmallPlan(12, 6.3))),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_OK(now->Reserve(ReserveRequestFor("alice", 2, SmallPlan(11, 6.3))));
  const v1::PlanReserved act = LastReserved(now);
  EXPECT_EQ(act.witness_order(), std::numeric_limits<double>::infinity());
  ASSERT_EQ(act.cost_size(), 75);
  EXPECT_EQ(act.cost(74), accountant::GaussianCostPerRelease(6.3));
  EXPECT_THAT(now->Reserve(ReserveRequestFor("alice", 3, SmallPlan(1, 6.3))),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(PrivacyLedgerGaussianTest, CancelsGiveItsEntryBackAndARestartFindsItAgain) {
  LedgerForTests wall(testing::FullBatchNotesBudget());
  ASSERT_OK_AND_ASSIGN(auto plan, wall->Reserve(ReserveRequestFor("alice", 1, SmallPlan(5, 10))));
  testing::Release(*wall, plan, 1);
  testing::Release(*wall, plan, 2);
  ASSERT_OK(wall->Cancel("alice", plan.plan_id(), 9000));
  const v1::BudgetStatus budget = BudgetOf(wall);
  EXPECT_GT(budget.filter().gaussian_weight(), 0);
  ASSERT_EQ(budget.spent_size(), 75);
  EXPECT_EQ(budget.spent(74), 2 * accountant::GaussianCostPerRelease(10));
  wall.Reopen();  // which replays the events against the rows
  EXPECT_EQ(BudgetOf(wall).SerializeAsString(), budget.SerializeAsString());
}

}  // namespace
}  // namespace topicwall::ledger
