#include "server/ledger/plan_admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "proto/budget_refusal.h"
#include "server/ledger/spent_vector.h"
#include "tests/support/ledger_for_tests.h"

namespace topicwall::ledger {
namespace {

using testing::PurseOf;
using testing::SmallPlan;
using testing::StatusIs;

Accounts Untouched() {
  accountant::BudgetFilter filter =
      *accountant::BudgetFilter::Create(testing::NotesBudget().filter);
  const accountant::CostVector nothing = filter.NothingSpent();
  return {.filter = std::move(filter),
          .spent = nothing,
          .analyst_spent = nothing,
          .releases_reserved = 0};
}

TEST(PlanAdmissionTest, AnAdmittedPlanAddsItsCostToBothAccounts) {
  auto verdict = JudgePlan(SmallPlan(10), PurseOf("alice"), Untouched());
  ASSERT_OK(verdict);
  EXPECT_TRUE(verdict->quote.fits);
  EXPECT_FALSE(verdict->refusal.has_value());
  const auto expected = SpentAfter(Untouched().spent, verdict->cost, 10);
  EXPECT_EQ(verdict->spent_after, expected);
  EXPECT_EQ(verdict->analyst_spent_after, expected);
  EXPECT_GT(verdict->witness_order, 1);
}

TEST(PlanAdmissionTest, AFullBudgetRefusesInTheCorpusNameAndAFullCapInTheAnalysts) {
  Accounts full = Untouched();
  full.spent.assign(full.spent.size(), accountant::kDeadOrder);
  auto verdict = JudgePlan(SmallPlan(1), PurseOf("alice"), full);
  ASSERT_OK(verdict);
  ASSERT_TRUE(verdict->refusal.has_value());
  EXPECT_EQ(verdict->refusal->limit(), "corpus");
  EXPECT_EQ(verdict->refusal->epsilon_left(), 0);
  EXPECT_TRUE(std::isinf(verdict->quote.epsilon_with_plan));

  Purse nothing = PurseOf("alice");
  nothing.epsilon_cap = 0;
  verdict = JudgePlan(SmallPlan(1), nothing, Untouched());
  ASSERT_OK(verdict);
  ASSERT_TRUE(verdict->refusal.has_value());
  EXPECT_EQ(verdict->refusal->limit(), "analyst");
  EXPECT_EQ(verdict->quote.most_iterations, 0);
}

TEST(PlanAdmissionTest, ACapAboveTheBudgetIsTheBudget) {
  Purse generous = PurseOf("alice");
  generous.epsilon_cap = 1000;
  auto with_cap = JudgePlan(SmallPlan(1), generous, Untouched());
  auto without = JudgePlan(SmallPlan(1), PurseOf("alice"), Untouched());
  ASSERT_OK(with_cap);
  ASSERT_OK(without);
  EXPECT_EQ(with_cap->quote.most_iterations, without->quote.most_iterations);
}

TEST(PlanAdmissionTest, ReleasesLeftNeverGoBelowZero) {
  Accounts accounts = Untouched();
  accounts.releases_reserved = 12;
  Purse purse = PurseOf("alice");
  purse.max_releases = 10;  // lowered by the custodian meanwhile
  auto verdict = JudgePlan(SmallPlan(1), purse, accounts);
  ASSERT_OK(verdict);
  EXPECT_EQ(verdict->releases_left, 0);
  EXPECT_FALSE(verdict->quote.fits);
  EXPECT_EQ(verdict->quote.most_iterations, 0);
}

TEST(PlanAdmissionTest, ExtremePlansArePricedWithoutWrapping) {
  Purse alice = PurseOf("alice");
  alice.max_releases = kMaxPlanIterations;
  auto faint = JudgePlan(SmallPlan(1000000, 1048576), alice, Untouched());
  ASSERT_OK(faint);
  EXPECT_GT(faint->quote.epsilon_alone, 0);
  auto loud = JudgePlan(SmallPlan(1000000, 0.015625), alice, Untouched());
  ASSERT_OK(loud);
  EXPECT_FALSE(loud->quote.fits);
  EXPECT_EQ(loud->quote.most_iterations, 0);
  for (const double sigma : {1e-300, 1e308, std::numeric_limits<double>::denorm_min()}) {
    auto verdict = JudgePlan(SmallPlan(1000000, sigma), alice, Untouched());
    if (!verdict.ok()) {
      EXPECT_THAT(verdict, StatusIs(absl::StatusCode::kInvalidArgument));
    } else {
      EXPECT_EQ(verdict->quote.fits, !verdict->refusal.has_value());
      EXPECT_GT(verdict->quote.epsilon_alone, 0);
    }
  }
}

TEST(PlanAdmissionTest, ARefusalCarriesItsDetailAsAPayload) {
  v1::PrivacyBudgetExhausted detail;
  detail.set_epsilon_asked(3);
  detail.set_most_iterations(7);
  detail.set_limit("analyst");
  const absl::Status status = BudgetExhausted(detail);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition,
                               ::testing::HasSubstr("At most 7 iterations")));
  const auto carried = proto::BudgetExhaustedOf(status);
  ASSERT_TRUE(carried.has_value());
  EXPECT_EQ(carried->SerializeAsString(), detail.SerializeAsString());
}

}  // namespace
}  // namespace topicwall::ledger
