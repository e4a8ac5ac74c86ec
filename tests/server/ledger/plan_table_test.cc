#include "server/ledger/plan_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/ledger/bare_ledger.h"

namespace topicwall::ledger {
namespace {

using testing::StatusIs;

TEST(PlanTableTest, PlansAreFoundByIdAndByRequest) {
  BareLedger bare;
  const PlanRow row = BareLedger::Plan("p", "alice");
  ASSERT_OK(InsertPlan(bare.connection(), row));
  ASSERT_OK(InsertPlan(bare.connection(), BareLedger::Plan("q", "bob")));
  auto found = FindPlan(bare.connection(), "p");
  ASSERT_OK(found);
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->corpus_version, row.corpus_version);
  EXPECT_EQ((*found)->principal, "alice");
  EXPECT_EQ((*found)->request_id, row.request_id);
  EXPECT_EQ((*found)->spec, row.spec);
  EXPECT_EQ((*found)->cost, row.cost);
  EXPECT_EQ((*found)->reserved_at_ms, 2000);
  EXPECT_EQ((*found)->iterations, 5);
  EXPECT_TRUE((*found)->refundable);
  EXPECT_EQ((*FindPlanByRequest(bare.connection(), "alice", row.request_id))->plan_id, "p");
  EXPECT_FALSE(FindPlanByRequest(bare.connection(), "bob", row.request_id)->has_value());
  EXPECT_FALSE(FindPlan(bare.connection(), "P")->has_value());
  EXPECT_OK(FindOwnPlan(bare.connection(), "alice", "p"));
  EXPECT_THAT(FindOwnPlan(bare.connection(), "bob", "p"),
              StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_EQ(PlansOf(bare.connection(), "alice")->size(), 1);
  EXPECT_EQ(PlansOf(bare.connection(), "")->size(), 2);
}

TEST(PlanTableTest, ARequestIdBelongsToOnePlanOfItsPrincipal) {
  BareLedger bare;
  ASSERT_OK(InsertPlan(bare.connection(), BareLedger::Plan("p", "alice")));
  PlanRow again = BareLedger::Plan("q", "alice");
  again.request_id = BareLedger::Plan("p", "alice").request_id;
  EXPECT_FALSE(InsertPlan(bare.connection(), again).ok());
  again.principal = "bob";
  EXPECT_OK(InsertPlan(bare.connection(), again));
}

TEST(PlanTableTest, OnlyStateAndReservationOfAPlanChange) {
  BareLedger bare;
  PlanRow row = BareLedger::Plan("p", "alice");
  ASSERT_OK(InsertPlan(bare.connection(), row));
  row.state = v1::PlanState::CANCELLED;
  row.reserved_iterations = 1;
  row.refundable = false;
  row.cost = {9, 9, 9};
  ASSERT_OK(UpdatePlan(bare.connection(), row));
  const PlanRow after = *FindOwnPlan(bare.connection(), "alice", "p");
  EXPECT_EQ(after.state, v1::PlanState::CANCELLED);
  EXPECT_EQ(after.reserved_iterations, 1);
  EXPECT_FALSE(after.refundable);
  EXPECT_EQ(after.cost, BareLedger::Plan("p", "alice").cost);
}

TEST(PlanTableTest, WhatIsStoredShowsAsCharged) {
  BareLedger bare;
  const PlanRow plan = BareLedger::Plan("p", "alice");
  ASSERT_OK(InsertPlan(bare.connection(), plan));
  ASSERT_OK(InsertCharge(bare.connection(), BareLedger::Charge("p", 1)));
  const std::string charged = ToPlanState(bare.connection(), plan)->SerializeAsString();
  ChargeRow charge = **FindCharge(bare.connection(), "p", 1);
  charge.state = ChargeState::kStored;
  charge.release_sha256 = "digest";
  ASSERT_OK(UpdateCharge(bare.connection(), charge));
  EXPECT_EQ(ToPlanState(bare.connection(), plan)->SerializeAsString(), charged);
  charge.state = ChargeState::kPublished;
  ASSERT_OK(UpdateCharge(bare.connection(), charge));
  EXPECT_TRUE(ToPlanState(bare.connection(), plan)->iterations(0).readable());
}

}  // namespace
}  // namespace topicwall::ledger
