// Acts as a gate sends them, well-formed: whatever is wrong with them is the test's doing.
// Threads: any.
#ifndef TOPICWALL_TESTS_E2E_MALICIOUS_GATE_ACTS_H_
#define TOPICWALL_TESTS_E2E_MALICIOUS_GATE_ACTS_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/vault.pb.h"
#include "tests/e2e/malicious_gate/seat.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {

std::string Analyst(const std::string& name);  // alice and bob are listed
std::string Auditor(const std::string& name);  // ann is

v1::Act DescribeAct(const std::string& principal);
v1::Act BudgetAct(const std::string& principal);
v1::Act ReserveAct(const std::string& principal, const v1::ReleaseSpec& plan,
                   const std::string& request_id);
v1::Act GetPlanAct(const std::string& principal, const std::string& plan_id);
v1::Act GetReleaseAct(const std::string& principal, const std::string& plan_id, int iteration);
// With the parameters LogTopics(), which are its messages.
v1::Act RunAct(const std::string& principal, const std::string& plan_id, int iteration);
std::vector<std::string> TopicMessages(
    const std::vector<float>& log_topics = WallWorld::LogTopics());

// The one message that answers an act; an empty one and a failure if there is none.
template <typename Message>
Message TheAnswer(Session& session, const v1::Act& act) {
  const Answer answer = session.Ask(act);
  EXPECT_OK(answer.status);
  Message message;
  EXPECT_TRUE(answer.messages.size() == 1 && message.ParseFromString(answer.messages[0]));
  return message;
}

// Of the corpus as it is now, full batch.
v1::ReleaseSpec SeatPlan(Session& session, double noise_multiplier, int iterations);
// Of alice's; "" and a failure if it is refused.
std::string ReservePlan(Session& session, const v1::ReleaseSpec& plan, char mark);

// One valid act of each kind, of alice's where an auditor may not, with the messages it needs.
struct KindOfAct {
  std::string name;
  v1::Act act;
  std::vector<std::string> messages = {};
};
std::vector<KindOfAct> EveryKindOfAct(const v1::ReleaseSpec& plan, const std::string& plan_id);

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_E2E_MALICIOUS_GATE_ACTS_H_
