// What a malicious gate may do, and what it may not: it is an analyst with everybody's rights, and
// no more than that.
#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "proto/budget_refusal.h"
#include "proto/request_digest.h"
#include "tests/e2e/malicious_gate/acts.h"
#include "tests/e2e/malicious_gate/seat.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using absl::StatusCode;

class MaliciousRightsTest : public ::testing::Test {
 protected:
  explicit MaliciousRightsTest(int64_t interval_ms = 300)
      : world_({.release_interval_ms = interval_ms, .documents = 60}) {}

  void SetUp() override { vault_ = world_.PidOf("topicwall-vault"); }
  void TearDown() override { ExpectUnharmed(world_, vault_); }

  SeatWorld world_;
  pid_t vault_ = 0;
};

v1::PlanState PlanOf(const Answer& answer) {
  v1::PlanState state;
  EXPECT_OK(answer.status);
  EXPECT_TRUE(answer.messages.size() == 1 && state.ParseFromString(answer.messages[0]));
  return state;
}

v1::ReleaseHeader HeaderOf(const Answer& answer) {
  v1::ReleaseChunk chunk;
  EXPECT_OK(answer.status);
  EXPECT_TRUE(!answer.messages.empty() && chunk.ParseFromString(answer.messages[0]));
  return chunk.header();
}

int64_t NowMs() { return absl::ToUnixMillis(absl::Now()); }

TEST_F(MaliciousRightsTest, TheGateMayActAsAnyListedPrincipal) {
  Session session(world_);
  const v1::ReleaseSpec plan = SeatPlan(session, 20, 1);
  for (const char* name : {"alice", "bob"}) {
    EXPECT_OK(session.Ask(ReserveAct(Analyst(name), plan, std::string(16, 'r'))).status);
  }
  EXPECT_OK(session.Ask(BudgetAct(Auditor("ann"))).status);
}

TEST_F(MaliciousRightsTest, WhoIsNotListedIsRefusedWhateverTheyAskFor) {
  Session session(world_);
  const v1::ReleaseSpec plan = SeatPlan(session, 20, 1);
  const std::string plan_id = ReservePlan(session, plan, 'p');
  for (const std::string& name : {Analyst("mallory"), Analyst("ALICE"), Analyst("alice "),
                                  Auditor("alice"), std::string("alice"), std::string()}) {
    for (KindOfAct kind : EveryKindOfAct(plan, plan_id)) {
      if (kind.act.principal().empty()) continue;  // the gate's own question
      SCOPED_TRACE(absl::StrCat("\"", name, "\", ", kind.name));
      kind.act.set_principal(name);
      EXPECT_THAT(
          session.Ask(kind.act, kind.messages).status,
          StatusIs(name.empty() ? StatusCode::kUnauthenticated : StatusCode::kPermissionDenied));
    }
  }
  EXPECT_EQ(ChargesIn(session), 0);
}

// What is tried with every kind of act is tried with one that is new, too. The custodian's come by
// another door.
TEST_F(MaliciousRightsTest, EveryKindOfActIsTried) {
  std::set<int> tried = {v1::Act::kCustodian};
  for (const KindOfAct& kind : EveryKindOfAct(v1::ReleaseSpec(), "")) {
    tried.insert(kind.act.call_case());
  }
  const auto& calls = *v1::Act::descriptor()->FindOneofByName("call");
  for (int i = 0; i < calls.field_count(); ++i) {
    EXPECT_EQ(tried.count(calls.field(i)->number()), 1) << calls.field(i)->name();
  }
}

TEST_F(MaliciousRightsTest, AnAuditorIsRefusedWhatIsAnAnalysts) {
  Session session(world_);
  const v1::ReleaseSpec plan = SeatPlan(session, 20, 1);
  const std::string plan_id = ReservePlan(session, plan, 'p');
  int refused = 0;
  for (KindOfAct kind : EveryKindOfAct(plan, plan_id)) {
    SCOPED_TRACE(kind.name);
    const bool gates_own = kind.act.principal().empty();
    kind.act.set_principal(Auditor("ann"));
    const absl::Status status = session.Ask(kind.act, kind.messages).status;
    const bool reads = gates_own || kind.name == "describe" || kind.name == "vocabulary" ||
                       kind.name == "budget" || kind.name == "ledger";
    const bool has_none = kind.name == "list plans";  // of their own, and is told so
    EXPECT_THAT(status,
                StatusIs(reads || has_none ? StatusCode::kOk : StatusCode::kPermissionDenied));
    refused += status.ok() ? 0 : 1;
  }
  EXPECT_EQ(refused, 6);
  EXPECT_EQ(ChargesIn(session), 0);
}

TEST_F(MaliciousRightsTest, TheGateIsNotTheCustodianWhomeverItNames) {
  Session session(world_);
  const std::string plan_id = ReservePlan(session, SeatPlan(session, 20, 1), 'p');
  std::vector<v1::CustodianAct> acts(3);
  acts[0].set_cancelled_plan_id(plan_id);
  acts[1].set_acknowledged_corpus_version(std::string(16, 'v'));
  acts[2].mutable_thaw()->set_forfeited_budget_id(std::string(32, '0'));
  for (const std::string& name : {Analyst("alice"), Auditor("ann"), std::string("root"),
                                  std::string("custodian"), std::string()}) {
    for (const v1::CustodianAct& custodian : acts) {
      v1::Act act;
      act.set_principal(name);
      *act.mutable_custodian() = custodian;
      EXPECT_THAT(session.Ask(act).status, StatusIs(StatusCode::kPermissionDenied)) << name;
    }
  }
  EXPECT_EQ(PlanOf(session.Ask(GetPlanAct(Analyst("alice"), plan_id))).state(),
            v1::PlanState::ACTIVE);
}

TEST_F(MaliciousRightsTest, AnothersPlanIsRefusedToEveryOtherName) {
  Session session(world_);
  const std::string plan_id = ReservePlan(session, SeatPlan(session, 20, 1), 'p');
  v1::Act cancel;
  cancel.set_principal(Analyst("bob"));
  cancel.mutable_cancel_plan()->set_plan_id(plan_id);
  EXPECT_THAT(session.Ask(cancel).status, StatusIs(StatusCode::kPermissionDenied));
  EXPECT_THAT(session.Ask(GetPlanAct(Analyst("bob"), plan_id)).status,
              StatusIs(StatusCode::kPermissionDenied));
  EXPECT_THAT(session.Ask(RunAct(Analyst("bob"), plan_id, 1), TopicMessages()).status,
              StatusIs(StatusCode::kPermissionDenied));
  EXPECT_EQ(ChargesIn(session), 0);
}

TEST_F(MaliciousRightsTest, ReservedByEverybodyUntilRefusedTheBudgetHolds) {
  Session session(world_);
  // From large plans to small ones: what is left in the end is less than the least.
  int reserved = 0, number = 0;
  std::string last;
  for (const double noise : {4.0, 8.0, 16.0, 64.0}) {
    const v1::ReleaseSpec plan = SeatPlan(session, noise, 4);
    for (const char* name : {"alice", "bob"}) {
      for (;;) {
        std::string request_id = absl::StrCat(++number);
        request_id.resize(16, '-');
        const Answer answer = session.Ask(ReserveAct(Analyst(name), plan, request_id));
        if (!answer.status.ok()) {
          EXPECT_TRUE(proto::BudgetExhaustedOf(answer.status).has_value()) << answer.status;
          break;
        }
        ++reserved;
        last = name == std::string("alice") ? PlanOf(answer).plan_id() : last;
        ASSERT_LT(reserved, 1000) << "the budget has no end";
      }
    }
  }
  EXPECT_GT(reserved, 4);
  EXPECT_OK(session.Ask(RunAct(Analyst("alice"), last, 1), TopicMessages()).status);
  EXPECT_EQ(ChargesIn(session), 1);
}

TEST_F(MaliciousRightsTest, AReleaseIsOfItsPlanAndOfTheParametersThatWereCharged) {
  Session session(world_);
  const v1::ReleaseSpec plan = SeatPlan(session, 20, 2);
  const std::string plan_id = ReservePlan(session, plan, 'p');
  const std::string alice = Analyst("alice");
  std::vector<float> others = WallWorld::LogTopics();
  others[0] -= 1;
  // The digest of one, the bytes of another.
  EXPECT_THAT(session.Ask(RunAct(alice, plan_id, 1), TopicMessages(others)).status,
              StatusIs(StatusCode::kInvalidArgument));
  for (const int iteration : {-1, 0, 3, 1 << 30}) {
    EXPECT_FALSE(session.Ask(RunAct(alice, plan_id, iteration), TopicMessages()).status.ok());
  }
  EXPECT_FALSE(session.Ask(GetReleaseAct(alice, plan_id, 1)).status.ok()) << "nobody paid for it";
  EXPECT_EQ(ChargesIn(session), 0);

  EXPECT_OK(session.Ask(RunAct(alice, plan_id, 1), TopicMessages()).status);
  // Another request, whose digest is right, under the iteration that is paid.
  v1::Act other = RunAct(alice, plan_id, 1);
  *other.mutable_run_release() = WallWorld::Header(plan_id, 1, others);
  EXPECT_FALSE(session.Ask(other, TopicMessages(others)).status.ok());
  // Another plan's model and options in the digest of this one's.
  v1::ReleaseSpec larger = plan;
  larger.mutable_gaussian()->set_noise_multiplier(0.1);
  v1::Act cheaper = RunAct(alice, plan_id, 2);
  cheaper.mutable_run_release()->set_clip_norm(400);
  EXPECT_THAT(session.Ask(cheaper, TopicMessages()).status, StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(ChargesIn(session), 1);
}

class MaliciousEarlyTest : public MaliciousRightsTest {
 protected:
  MaliciousEarlyTest() : MaliciousRightsTest(2000) {}
};

TEST_F(MaliciousEarlyTest, AReleaseIsNotReadBeforeItsInstant) {
  Session session(world_);
  const std::string alice = Analyst("alice");
  const std::string plan_id = ReservePlan(session, SeatPlan(session, 20, 1), 'p');
  const uint64_t run = session.Begin(RunAct(alice, plan_id, 1), TopicMessages());
  while (PlanOf(session.Ask(GetPlanAct(alice, plan_id))).iterations_size() == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  int refused = 0;
  for (;;) {
    const Answer answer = session.Ask(GetReleaseAct(alice, plan_id, 1));
    if (answer.status.ok()) {
      EXPECT_GE(NowMs(), HeaderOf(answer).readable_at_ms());
      break;
    }
    EXPECT_TRUE(answer.messages.empty());
    ++refused;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GT(refused, 0);
  const v1::ReleaseHeader header = HeaderOf(session.Await(run));
  EXPECT_EQ((header.readable_at_ms() - header.charged_at_ms()) % 2000, 0);
  EXPECT_GT(header.readable_at_ms(), header.charged_at_ms());
}

// A session that is lost takes nobody's release with it, and brings none sooner.
TEST_F(MaliciousEarlyTest, AGateThatHangsUpAfterTheChargeLosesTheAnswerAndNotTheRelease) {
  const std::string alice = Analyst("alice");
  std::string plan_id;
  {
    Session session(world_);
    plan_id = ReservePlan(session, SeatPlan(session, 20, 1), 'p');
    session.Begin(RunAct(alice, plan_id, 1), TopicMessages());
    while (PlanOf(session.Ask(GetPlanAct(alice, plan_id))).iterations_size() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  Session session(world_);
  const v1::ReleaseHeader header =
      HeaderOf(session.Ask(RunAct(alice, plan_id, 1), TopicMessages()));
  EXPECT_GE(NowMs(), header.readable_at_ms());
  EXPECT_OK(session.Ask(GetReleaseAct(alice, plan_id, 1)).status);
  EXPECT_EQ(ChargesIn(session), 1);
}

}  // namespace
}  // namespace topicwall::testing
