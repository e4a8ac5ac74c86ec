#include "server/vault/custodian_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/acts/one_reply.h"
#include "tests/support/ledger_for_tests.h"
#include "tests/support/status_matchers.h"

namespace topicwall::server {
namespace {

using ::topicwall::testing::kNotesVersion;
using ::topicwall::testing::LedgerForTests;
using ::topicwall::testing::ReserveRequestFor;
using ::topicwall::testing::SmallPlan;
using ::topicwall::testing::StatusIs;

class CustodianDoorTest : public ::testing::Test {
 protected:
  absl::StatusOr<v1::CustodianAnswer> Ask(const v1::CustodianAct& custodian) {
    v1::Act act;
    *act.mutable_custodian() = custodian;
    acts::OneReply<v1::CustodianAnswer> answer;
    const absl::Status status = door_.Handle(act, answer);
    if (!status.ok()) return status;
    return answer.reply();
  }

  LedgerForTests ledger_;
  CustodianDoor door_{*ledger_, release::SystemClock()};
};

TEST_F(CustodianDoorTest, CancelsAnyPlanAndShowsIt) {
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       ledger_->Reserve(ReserveRequestFor("alice", 1, SmallPlan(3))));
  v1::CustodianAct act;
  act.set_cancelled_plan_id(plan.plan_id());
  ASSERT_OK_AND_ASSIGN(const auto answer, Ask(act));
  EXPECT_EQ(answer.plan().state(), v1::PlanState::CANCELLED);
  EXPECT_EQ(answer.plan().principal(), "alice");
  EXPECT_EQ(ledger_->GetPlan("alice", plan.plan_id())->state(), v1::PlanState::CANCELLED);
}

TEST_F(CustodianDoorTest, EveryActReachesTheLedgerAndItsRefusalComesBack) {
  v1::CustodianAct act;
  act.set_acknowledged_corpus_version(kNotesVersion);
  EXPECT_OK(Ask(act));
  act.set_acknowledged_corpus_version(std::string(16, 'x'));
  EXPECT_THAT(Ask(act), StatusIs(absl::StatusCode::kNotFound));
  act.set_cancelled_plan_id("unknown");
  EXPECT_THAT(Ask(act), StatusIs(absl::StatusCode::kNotFound));
  act.mutable_thaw()->set_head(std::string(32, 'h'));
  EXPECT_THAT(Ask(act), StatusIs(absl::StatusCode::kFailedPrecondition));
  act.mutable_thaw()->mutable_events()->set_corpus("notes");
  EXPECT_FALSE(Ask(act).ok());
  act.mutable_thaw()->set_forfeited_budget_id(std::string(32, '0'));
  EXPECT_THAT(Ask(act), StatusIs(absl::StatusCode::kNotFound));
  act.mutable_thaw()->clear_by();
  EXPECT_THAT(Ask(act), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Ask({}), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(CustodianDoorTest, WhatAnalystsAskIsNotAnsweredHere) {
  v1::Act act;
  act.set_principal("alice");
  act.mutable_describe_corpus()->set_corpus("notes");
  acts::OneReply<v1::CorpusDescription> answer;
  EXPECT_THAT(door_.Handle(act, answer), StatusIs(absl::StatusCode::kPermissionDenied));
}

}  // namespace
}  // namespace topicwall::server
