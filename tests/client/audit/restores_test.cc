#include "client/audit/restores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/chain_builder.h"

namespace topicwall::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(RestoresTest, AChainThatWasNeverPutBackHasNone) {
  EXPECT_THAT(RestoresIn(ChainBuilder().entries()), IsEmpty());
}

TEST(RestoresTest, EachSaysWhenItWasAndWhatItsThawRestedOn) {
  ChainBuilder chain;
  v1::LedgerEvent event;
  event.set_time_ms(1795397498000);
  event.mutable_budget_restored()->set_epoch(1);
  chain.Append(event);  // 3
  ASSERT_EQ(RestoresIn(chain.entries()).size(), 1u);
  EXPECT_THAT(DescribeRestore(RestoresIn(chain.entries())[0]),
              AllOf(HasSubstr("at entry 3 on 2026-11-23"), HasSubstr("not thawed yet")));
  event.mutable_budget_thawed()->set_ground(v1::BudgetThawed::HEAD_CONFIRMED);
  event.mutable_budget_thawed()->set_head_sequence(2);
  event.mutable_budget_thawed()->set_head("\xab");
  event.mutable_budget_thawed()->set_forfeited_unseen(true);
  chain.Append(event);
  EXPECT_THAT(DescribeRestore(RestoresIn(chain.entries())[0]),
              AllOf(HasSubstr("complete if entry 2, head ab, was the newest"),
                    HasSubstr("what was left counts as spent")));
  event.mutable_budget_restored()->set_epoch(2);
  chain.Append(event);
  EXPECT_EQ(RestoresIn(chain.entries()).size(), 2u);
}

// Of what was opened between the backup and the loss such a chain knows nothing.
TEST(RestoresTest, AnOpeningAfterARestoreIsToldAndMissesNoEntry) {
  ChainBuilder honest;
  v1::LedgerEntry first = honest.entries()[0];
  v1::LedgerEvent opened;
  ASSERT_TRUE(opened.ParseFromString(first.event()));
  opened.set_time_ms(1795397498000);
  opened.mutable_budget_opened()->set_after_restore(true);
  first.set_event(opened.SerializeAsString());
  const auto restores = RestoresIn({first});
  ASSERT_EQ(restores.size(), 1u);
  EXPECT_THAT(DescribeRestore(restores[0]),
              AllOf(HasSubstr("before the budget was opened on 2026-11-23"),
                    HasSubstr("no budget that was opened after that backup")));
}

}  // namespace
}  // namespace topicwall::client
