// In a statement: command_statement_test.cc.
#include "server/admin/budget_life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ledger_for_tests.h"

namespace topicwall::admin {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

v1::LedgerEvent Charged(std::optional<int64_t> interval_ms, int free_processors = 2) {
  v1::LedgerEvent event;
  event.mutable_iteration_charged()->set_iteration(1);
  if (interval_ms.has_value()) {
    event.mutable_iteration_charged()->set_release_interval_ms(*interval_ms);
    event.mutable_iteration_charged()->set_free_processors(free_processors);
  }
  return event;
}

v1::LedgerEvent Published(int intervals_waited) {
  v1::LedgerEvent event;
  event.mutable_release_published()->set_intervals_waited(intervals_waited);
  return event;
}

TEST(BudgetLifeTest, OneUnprotectedChargeIsNeverForgotten) {
  BudgetLife life;
  life.Add(Charged(500));
  EXPECT_THAT(life.Timing(500), StartsWith("protected: releases are readable at multiples of 500"));
  life.Add(Charged(0));
  life.Add(Charged(500));
  EXPECT_THAT(life.Timing(500), StartsWith("not protected for 1 of 3"));
  EXPECT_THAT(life.Timing(std::nullopt), StartsWith("not protected for 1 of 3"));
}

TEST(BudgetLifeTest, WhatTheConfigurationSaysNowIsTheWorstIfItIs) {
  BudgetLife life;
  EXPECT_THAT(life.Timing(std::nullopt), HasSubstr("not served"));
  EXPECT_THAT(life.Timing(700), HasSubstr("of 700 ms"));
  life.Add(Charged(500, 2));
  life.Add(Charged(900, 1));
  life.Add(Charged(600, 2));
  EXPECT_THAT(life.Timing(700), HasSubstr("of 500 to 900 ms"));
  EXPECT_THAT(life.Timing(0), StartsWith("not protected"));
  EXPECT_EQ(life.fewest_free_processors, 1);
}

TEST(BudgetLifeTest, WhatWasNotRecordedIsSaid) {
  BudgetLife life;
  life.Add(Charged(std::nullopt));
  EXPECT_THAT(life.Timing(500), StartsWith("not recorded for 1 of 1 charged releases; protected"));
  EXPECT_EQ(life.Timing(std::nullopt), "not recorded for 1 of 1 charged releases");
  EXPECT_FALSE(life.fewest_free_processors.has_value());
}

TEST(BudgetLifeTest, WhatWentWrongIsCountedWhetherAcknowledgedOrNot) {
  BudgetLife life;
  for (const int waited : {1, 2, 16, 0}) life.Add(Published(waited));
  v1::LedgerEvent event;
  event.mutable_overruns_acknowledged()->set_overruns(2);
  life.Add(event);
  event.mutable_release_restarted();
  life.Add(event);
  event.mutable_release_voided();
  life.Add(event);
  EXPECT_EQ(life.overruns, 2);
  EXPECT_EQ(life.restarts, 1);
  EXPECT_EQ(life.voided, 1);
}

TEST(BudgetLifeTest, IsReadOffTheChain) {
  testing::LedgerForTests wall;
  ASSERT_OK_AND_ASSIGN(const auto plan, wall->Reserve(testing::ReserveRequestFor(
                                            "alice", 1, testing::SmallPlan(2))));
  testing::Release(*wall, plan, 1);
  ASSERT_OK_AND_ASSIGN(const auto life, LifeOf(*wall, testing::kNotesVersion));
  EXPECT_EQ(life.opening.custodian_id(), "library");
  EXPECT_EQ(life.charges, 1);
}

}  // namespace
}  // namespace topicwall::admin
