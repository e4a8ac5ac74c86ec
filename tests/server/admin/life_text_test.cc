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

}  // namespace
}  // namespace topicwall::admin
