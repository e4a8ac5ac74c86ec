#include "tests/e2e/malicious_gate/acts.h"

#include <gtest/gtest.h>

#include "proto/matrix_codec.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

v1::Act Of(const std::string& principal) {
  v1::Act act;
  act.set_principal(principal);
  return act;
}

}  // namespace

std::string Analyst(const std::string& name) { return "spiffe://topicwall/analyst/" + name; }
std::string Auditor(const std::string& name) { return "spiffe://topicwall/auditor/" + name; }

v1::Act DescribeAct(const std::string& principal) {
  v1::Act act = Of(principal);
  act.mutable_describe_corpus()->set_corpus("notes");
  return act;
}

v1::Act BudgetAct(const std::string& principal) {
  v1::Act act = Of(principal);
  act.mutable_get_budget()->set_corpus("notes");
  return act;
}

v1::Act ReserveAct(const std::string& principal, const v1::ReleaseSpec& plan,
                   const std::string& request_id) {
  v1::Act act = Of(principal);
  act.mutable_reserve_plan()->set_request_id(request_id);
  *act.mutable_reserve_plan()->mutable_plan() = plan;
  return act;
}

v1::Act GetPlanAct(const std::string& principal, const std::string& plan_id) {
  v1::Act act = Of(principal);
  act.mutable_get_plan()->set_plan_id(plan_id);
  return act;
}

v1::Act GetReleaseAct(const std::string& principal, const std::string& plan_id, int iteration) {
  v1::Act act = Of(principal);
  act.mutable_get_release()->set_plan_id(plan_id);
  act.mutable_get_release()->set_iteration(iteration);
  return act;
}

v1::Act RunAct(const std::string& principal, const std::string& plan_id, int iteration) {
  v1::Act act = Of(principal);
  *act.mutable_run_release() = WallWorld::Header(plan_id, iteration, WallWorld::LogTopics());
  return act;
}

std::vector<std::string> TopicMessages(const std::vector<float>& log_topics) {
  std::vector<std::string> messages;
  EXPECT_OK(proto::ForEachChunk(log_topics, [&](const v1::FloatChunk& chunk) {
    v1::RunReleaseRequest part;
    *part.mutable_parameters() = chunk;
    messages.push_back(part.SerializeAsString());
    return absl::OkStatus();
  }));
  return messages;
}

v1::ReleaseSpec SeatPlan(Session& session, double noise_multiplier, int iterations) {
  const auto description = TheAnswer<v1::CorpusDescription>(session, DescribeAct(Analyst("alice")));
  return WallWorld::PlanFor(description, noise_multiplier, iterations);
}

std::string ReservePlan(Session& session, const v1::ReleaseSpec& plan, char mark) {
  return TheAnswer<v1::PlanState>(session,
                                  ReserveAct(Analyst("alice"), plan, std::string(16, mark)))
      .plan_id();
}

std::vector<KindOfAct> EveryKindOfAct(const v1::ReleaseSpec& plan, const std::string& plan_id) {
  const std::string alice = Analyst("alice");
  v1::Act vocabulary = Of(alice), price = Of(alice), cancel = Of(alice), list = Of(alice);
  v1::Act ledger = Of(Auditor("ann"));
  v1::Act limits;
  vocabulary.mutable_get_vocabulary()->set_corpus("notes");
  *price.mutable_price_plan()->mutable_plan() = plan;
  // Of somebody else's: the plan is still needed.
  cancel.mutable_cancel_plan()->set_plan_id(std::string(32, '0'));
  list.mutable_list_plans()->set_corpus("notes");
  ledger.mutable_read_ledger()->set_corpus("notes");
  limits.mutable_get_limits();
  v1::Act move;
  move.mutable_await_move();
  return {{"describe", DescribeAct(alice)},
          {"vocabulary", vocabulary},
          {"price", price},
          {"reserve", ReserveAct(alice, plan, std::string(16, 'k'))},
          {"cancel", cancel},
          {"get plan", GetPlanAct(alice, plan_id)},
          {"list plans", list},
          {"run release", RunAct(alice, plan_id, 1), TopicMessages()},
          {"get release", GetReleaseAct(alice, plan_id, 1)},
          {"budget", BudgetAct(alice)},
          {"ledger", ledger},
          {"limits", limits},
          {"move", move}};
}

}  // namespace topicwall::testing
