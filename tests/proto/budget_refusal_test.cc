#include "proto/budget_refusal.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace topicwall::proto {
namespace {

using ::topicwall::testing::StatusIs;

TEST(BudgetRefusalTest, TheNumbersComeOutAsTheyWentIn) {
  v1::PrivacyBudgetExhausted detail;
  detail.set_epsilon_asked(1.5);
  detail.set_limit("analyst");
  const absl::Status refusal = BudgetRefusal("does not fit", detail);
  EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kFailedPrecondition));
  const auto carried = BudgetExhaustedOf(refusal);
  ASSERT_TRUE(carried.has_value());
  EXPECT_EQ(carried->SerializeAsString(), detail.SerializeAsString());
}

TEST(BudgetRefusalTest, OtherStatusesCarryNone) {
  EXPECT_FALSE(BudgetExhaustedOf(absl::FailedPreconditionError("paused")).has_value());
  EXPECT_FALSE(BudgetExhaustedOf(absl::OkStatus()).has_value());
}

}  // namespace
}  // namespace topicwall::proto
