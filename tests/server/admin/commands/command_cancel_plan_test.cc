#include "server/admin/commands/command_cancel_plan.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/server/admin/custodian_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;

class CancelPlanTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_OK(world_.IngestAndOpen("notes", {"ann"})); }
  absl::StatusOr<Outcome> Cancel(const std::string& plan) const {
    return CancelPlan({.config = world_.config(), .plan = plan});
  }

  const CustodianWorld world_;
};

TEST_F(CancelPlanTest, GivesBackWhatWasNeverChargedAndNoMore) {
  const std::string plan = world_.ReserveAndChargeOne("notes", 3);
  ASSERT_OK_AND_ASSIGN(const auto before, world_.StatusOfCorpus("notes"));
  ASSERT_OK_AND_ASSIGN(const auto outcome, Cancel(plan));
  EXPECT_THAT(outcome.text, HasSubstr("1 of its 3 iterations were charged"));
  ASSERT_OK_AND_ASSIGN(const auto after, world_.StatusOfCorpus("notes"));
  EXPECT_EQ(after.releases_reserved, 1);
  EXPECT_GT(after.EpsilonSpent(), 0);
  EXPECT_LT(after.EpsilonSpent(), before.EpsilonSpent());
}

TEST_F(CancelPlanTest, AgainChangesNothing) {
  const std::string plan = world_.ReserveAndChargeOne("notes", 3);
  ASSERT_OK(Cancel(plan));
  ASSERT_OK_AND_ASSIGN(const auto once, world_.StatusOfCorpus("notes"));
  ASSERT_OK(Cancel(plan));
  ASSERT_OK_AND_ASSIGN(const auto twice, world_.StatusOfCorpus("notes"));
  EXPECT_EQ(twice.head, once.head);
}

TEST_F(CancelPlanTest, OfAnUnknownPlanIsAnError) {
  EXPECT_THAT(Cancel("0123456789abcdef0123456789abcdef"), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(CancelPlanTest, WhatIsNoIdIsToldFromAPlanThatIsNotThere) {
  for (const char* bad :
       {"xyz", "", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdeff",
        "0123456789abcdef0123456789abcdeg"}) {
    EXPECT_THAT(Cancel(bad), StatusIs(absl::StatusCode::kInvalidArgument,
                                      HasSubstr("--plan must be 32 hexadecimal digits")))
        << bad;
  }
}

TEST_F(CancelPlanTest, WaitsForTheServerToStop) {
  const std::string plan = world_.ReserveAndChargeOne("notes", 3);
  const auto server = world_.Ledger();
  EXPECT_THAT(Cancel(plan),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("stop the server")));
}

}  // namespace
}  // namespace topicwall::admin
