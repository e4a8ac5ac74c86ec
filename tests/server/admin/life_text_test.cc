// In a statement: command_statement_test.cc.
#include "server/admin/life_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ledger_for_tests.h"

namespace topicwall::admin {
namespace {

using accountant::ledger::BudgetLife;
using accountant::ledger::Charge;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void Begin(BudgetLife& life, int64_t interval_ms, Charge charge = {}) {
  const v1::Protection protection = testing::ProtectionOf(interval_ms);
  life.Begin(&protection, charge);
}

TEST(LifeTextTest, OneUnprotectedChargeIsNeverForgotten) {
  BudgetLife life;
  Begin(life, 500);
  EXPECT_THAT(TimingText(life, 500),
              StartsWith("protected: releases are readable at multiples of 500"));
  Begin(life, 0);
  Begin(life, 500);
  EXPECT_THAT(TimingText(life, 500), StartsWith("not protected for 1 of 3"));
  EXPECT_THAT(TimingText(life, std::nullopt), StartsWith("not protected for 1 of 3"));
}

TEST(LifeTextTest, WhatTheConfigurationSaysNowIsTheWorstIfItIs) {
  BudgetLife life;
  EXPECT_THAT(TimingText(life, std::nullopt), HasSubstr("not served"));
  EXPECT_THAT(TimingText(life, 700), HasSubstr("of 700 ms"));
  for (const int64_t interval_ms : {500, 900, 600}) Begin(life, interval_ms);
  EXPECT_THAT(TimingText(life, 700), HasSubstr("of 500 to 900 ms"));
  EXPECT_THAT(TimingText(life, 0), StartsWith("not protected"));
}

TEST(LifeTextTest, WhatWasNotRecordedIsSaid) {
  BudgetLife life;
  Charge charge;
  life.Begin(nullptr, charge);
  EXPECT_THAT(TimingText(life, 500),
              StartsWith("not recorded for 1 of 1 charged releases; protected"));
  EXPECT_EQ(TimingText(life, std::nullopt), "not recorded for 1 of 1 charged releases");
}

// A configuration that was edited, or is of another server than those that charged, is no proof.
TEST(LifeTextTest, ProcessesAreTheWorstOfAllChargesAndOfTheConfiguration) {
  v1::WallConfig two_users;
  two_users.mutable_processes()->set_gate("gate");
  two_users.mutable_processes()->set_vault("vault");
  v1::WallConfig best_effort = two_users;
  best_effort.set_sandbox(v1::SANDBOX_BEST_EFFORT);
  BudgetLife life;
  EXPECT_EQ(ProcessesText(life, two_users),
            "gate and vault separated: two processes of two users, each confined by the kernel");
  EXPECT_THAT(ProcessesText(life, v1::WallConfig()), StartsWith("gate and vault not separated"));
  EXPECT_THAT(ProcessesText(life, best_effort), HasSubstr("as far as it has one"));
  v1::Protection protection = testing::ProtectionOf(500);
  protection.set_users_separated(true);
  Charge charge;
  life.Begin(&protection, charge);
  EXPECT_EQ(ProcessesText(life, two_users),
            "gate and vault separated: two processes of two users, each confined by the kernel, as "
            "far as it has one; a sandbox not required for 1 of 1 charged releases");
  protection.set_users_separated(false);
  Charge other;
  life.Begin(&protection, other);
  EXPECT_THAT(ProcessesText(life, two_users),
              ::testing::AllOf(StartsWith("gate and vault not separated"),
                               HasSubstr("; not separated for 1 of 2 charged releases")));
  Charge third;
  life.Begin(nullptr, third);
  EXPECT_THAT(ProcessesText(life, two_users), HasSubstr("; not recorded for 1 of 3"));
}

}  // namespace
}  // namespace topicwall::admin
