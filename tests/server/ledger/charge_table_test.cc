#include "server/ledger/charge_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/ledger/plan_table.h"
#include "tests/server/ledger/bare_ledger.h"

namespace topicwall::ledger {
namespace {

TEST(ChargeTableTest, TheSealedKeyIsThereExactlyWhileCharged) {
  BareLedger bare;
  ASSERT_OK(InsertPlan(bare.connection(), BareLedger::Plan("p", "alice")));
  for (const ChargeState next :
       {ChargeState::kStored, ChargeState::kPublished, ChargeState::kLost}) {
    const int iteration = static_cast<int>(next);
    auto id = InsertCharge(bare.connection(), BareLedger::Charge("p", iteration));
    ASSERT_OK(id);
    auto charge = FindCharge(bare.connection(), "p", iteration);
    ASSERT_TRUE(charge.ok() && charge->has_value());
    EXPECT_EQ((*charge)->charge_id, *id);
    EXPECT_EQ((*charge)->sealed_release_key, "sealed");
    (*charge)->state = next;
    ASSERT_OK(UpdateCharge(bare.connection(), **charge));
    EXPECT_EQ((*FindCharge(bare.connection(), "p", iteration))->sealed_release_key, "");
  }
  EXPECT_EQ(ChargesOf(bare.connection(), "p")->size(), 3);
  EXPECT_EQ(ChargesInState(bare.connection(), ChargeState::kStored)->size(), 1);
  EXPECT_EQ(ChargesInState(bare.connection(), ChargeState::kCharged)->size(), 0);
}

TEST(ChargeTableTest, AnIterationIsChargedOnce) {
  BareLedger bare;
  ASSERT_OK(InsertPlan(bare.connection(), BareLedger::Plan("p", "alice")));
  ASSERT_OK(InsertCharge(bare.connection(), BareLedger::Charge("p", 1)));
  EXPECT_FALSE(InsertCharge(bare.connection(), BareLedger::Charge("p", 1)).ok());
  EXPECT_FALSE(InsertCharge(bare.connection(), BareLedger::Charge("unknown", 1)).ok());
}

}  // namespace
}  // namespace topicwall::ledger
