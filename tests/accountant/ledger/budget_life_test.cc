#include "accountant/ledger/budget_life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/accountant/ledger/fold_for_tests.h"

namespace topicwall::accountant::ledger {
namespace {

class BudgetLifeTest : public ::testing::Test {
 protected:
  BudgetLifeTest() {
    fold_.Open("b", "notes");
    EXPECT_OK(fold_.Do(ReserveOf("alice", "p", "notes", 9)));
  }

  // Charged or, if it is, begun again.
  void Begin(int iteration, int64_t interval_ms, int free_processors) {
    ChargeAct act = ChargeOf("alice", "p", iteration, kKeyKept);
    act.protection = ProtectionOf(interval_ms, free_processors);
    EXPECT_OK(fold_.Do(act));
  }
  const BudgetLife& life() { return fold_.budget("b").life(); }

  FoldForTests fold_;
};

TEST_F(BudgetLifeTest, IsTheWorstOfAllTimesThatAReleaseWasBegun) {
  EXPECT_FALSE(life().Worst().has_value());
  Begin(1, 60000, 2);
  Begin(2, 8000, 1);
  EXPECT_EQ(life().Worst()->SerializeAsString(), ProtectionOf(8000, 1).SerializeAsString());
  Begin(1, 500, 2);
  EXPECT_EQ(life().Worst()->release_interval_ms(), 500);
  EXPECT_EQ(life().longest_interval_ms, 60000);
  Begin(1, 0, 0);
  Begin(1, 0, 0);
  EXPECT_EQ(life().unprotected, 1) << "one release";
  EXPECT_EQ(life().charges, 2);
  EXPECT_EQ(life().restarts, 3);
  EXPECT_EQ(life().Worst()->SerializeAsString(), ProtectionOf(0, 0).SerializeAsString());
}

TEST_F(BudgetLifeTest, SeparationAndSandboxAreThoseOfEveryChargeOrOfNone) {
  const auto begin = [this](int iteration, bool separated, bool required) {
    ChargeAct act = ChargeOf("alice", "p", iteration, kKeyKept);
    act.protection.set_users_separated(separated);
    act.protection.set_sandbox_required(required);
    EXPECT_OK(fold_.Do(act));
    return std::pair(life().Worst()->users_separated(), life().Worst()->sandbox_required());
  };
  EXPECT_EQ(begin(1, true, true), std::pair(true, true));
  EXPECT_EQ(begin(2, true, false), std::pair(true, false));
  EXPECT_EQ(begin(3, false, true), std::pair(false, false));
  EXPECT_EQ(begin(4, true, true), std::pair(false, false));
  begin(3, false, true);
  EXPECT_EQ(life().unseparated, 1);
  EXPECT_EQ(life().unconfined, 1);
}

TEST_F(BudgetLifeTest, WhatIsNotRecordedIsCountedOnceAndNoProtection) {
  Begin(1, 60000, 2);
  BudgetLife life = this->life();
  Charge charge = fold_.plan("p").charges.at(1);
  charge.restarts = 1;
  life.Begin(nullptr, charge);
  EXPECT_FALSE(charge.protection.has_value());
  life.Begin(nullptr, charge);
  EXPECT_EQ(life.unrecorded, 1);
  EXPECT_EQ(life.unprotected, 0);
  EXPECT_EQ(life.shortest_interval_ms, 60000);
}

}  // namespace
}  // namespace topicwall::accountant::ledger
