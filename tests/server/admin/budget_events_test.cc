#include "server/admin/budget_events.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/support/ledger_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using testing::StatusIs;

TEST(BudgetEvents, TellUnitAndPlansOfEveryAnalyst) {
  testing::LedgerForTests wall;
  const auto alices = wall->Reserve(testing::ReserveRequestFor("alice", 1, testing::SmallPlan(3)));
  ASSERT_OK(alices);
  const auto bobs = wall->Reserve(testing::ReserveRequestFor("bob", 1, testing::SmallPlan(2)));
  ASSERT_OK(bobs);
  ASSERT_OK(wall->Charge(testing::ChargeRequestFor(*alices, 1)));
  ASSERT_OK(wall->Cancel("bob", bobs->plan_id(), 4000));

  const auto picture = PictureOf(*wall, testing::kNotesVersion);
  ASSERT_OK(picture);
  EXPECT_EQ(picture->privacy_unit, v1::PRIVACY_UNIT_DOCUMENT);
  ASSERT_EQ(picture->plans.size(), 2u);
  EXPECT_EQ(picture->plans.at(alices->plan_id()).principal, "alice");
  EXPECT_EQ(picture->plans.at(alices->plan_id()).charges.size(), 1u);
  EXPECT_EQ(picture->plans.at(bobs->plan_id()).state, v1::PlanState::CANCELLED);
}

TEST(BudgetEvents, AVersionWithoutBudgetHasNone) {
  testing::LedgerForTests wall;
  EXPECT_THAT(PictureOf(*wall, "another version!"), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace topicwall::admin
