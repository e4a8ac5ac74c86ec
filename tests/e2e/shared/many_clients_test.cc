// Two hundred clients of two servers that reserve and charge at once, until the budget is spent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/grpc_status.h"
#include "proto/ledger.pb.h"
#include "tests/e2e/shared/shared_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace many_clients_test {

constexpr int kClients = 200;
constexpr int kAnalysts = 10;

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (int i = 0; i < kAnalysts; ++i) names.push_back(absl::StrCat("analyst", i));
  return names;
}

// Without a schedule: what is waited for is the ledger.
class ManyClientsTest : public SharedServersTest {
 protected:
  ManyClientsTest()
      : SharedServersTest({.epsilon = 10,
                           .documents = 60,
                           .more_analysts = Names(),
                           .timing_protection = false,
                           .queue_length = 100}) {}

  // Of a plan: how often the chain says that it was reserved, and charged, and published.
  struct Told {
    int reserved = 0;
    int charged = 0;
    int published = 0;
  };
  std::map<std::string, Told> WhatTheChainSays() {
    std::map<std::string, Told> told;
    grpc::ClientContext context;
    v1::ReadLedgerRequest request;
    request.set_corpus("notes");
    const auto auditor = world_.StubOf("ann");
    const auto reader = auditor->ReadLedger(&context, request);
    v1::LedgerEntry entry;
    while (reader->Read(&entry)) {
      v1::LedgerEvent event;
      EXPECT_TRUE(event.ParseFromString(entry.event()));
      if (event.has_plan_reserved()) ++told[event.plan_reserved().plan_id()].reserved;
      if (event.has_iteration_charged()) ++told[event.iteration_charged().plan_id()].charged;
      if (event.has_release_published()) ++told[event.release_published().plan_id()].published;
    }
    EXPECT_TRUE(reader->Finish().ok());
    return told;
  }
};

// A server that is busy, or a chain at which others were first, is asked again.
template <typename Ask>
auto UntilAnswered(const Ask& ask) {
  for (;;) {
    auto answer = ask();
    if (!absl::IsUnavailable(answer.status())) return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST_F(ManyClientsTest, TwoHundredNeverOverspendAndNothingIsLostOrDouble) {
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  SecondServer second(world_);
  ASSERT_TRUE(second.Start()) << second.Output();
  const v1::ReleaseSpec spec = world_.Plan(6, 1);  // some hundred fit
  const auto log_topics = WallWorld::LogTopics();
  std::mutex mutex;
  std::map<std::string, std::string> released;  // by plan
  std::atomic<int> refused{0};
  std::vector<std::thread> clients;
  for (int client = 0; client < kClients; ++client) {
    clients.emplace_back([&, client] {
      const std::string name = absl::StrCat("analyst", client % kAnalysts);
      const auto stub = client % 2 == 0 ? world_.StubOnItsOwn(name) : second.StubOf(name);
      const auto plan =
          UntilAnswered([&] { return WallWorld::Reserve(*stub, spec, RequestId(client, 1)); });
      if (!plan.ok()) {
        EXPECT_THAT(plan.status(), StatusIs(absl::StatusCode::kFailedPrecondition));
        ++refused;
        return;
      }
      const auto release = UntilAnswered([&] {
        return WallWorld::RunRelease(*stub, WallWorld::Header(plan->plan_id(), 1, log_topics),
                                     log_topics);
      });
      ASSERT_OK(release);
      const std::lock_guard<std::mutex> lock(mutex);
      EXPECT_TRUE(released.emplace(plan->plan_id(), release->statistics).second);
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(static_cast<int>(released.size()) + refused, kClients);
  EXPECT_GT(released.size(), 20) << "the budget is for more";
  EXPECT_GT(refused, 20) << "nobody has tried to overspend";

  ASSERT_OK_AND_ASSIGN(const auto here, WallWorld::Budget(*world_.StubOf("ann")));
  ASSERT_OK_AND_ASSIGN(const auto there, WallWorld::Budget(*second.StubOf("ann")));
  EXPECT_EQ(here.SerializeAsString(), there.SerializeAsString());
  EXPECT_LE(here.epsilon_spent(), 10);
  // Nothing was lost on the way to refusals: what is left would not have been one plan more.
  EXPECT_THAT(WallWorld::Reserve(*world_.StubOf("alice"), spec, RequestId(kClients, 1)),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(WallWorld::Reserve(*second.StubOf("alice"), spec, RequestId(kClients, 2)),
              StatusIs(absl::StatusCode::kFailedPrecondition));

  const auto told = WhatTheChainSays();
  EXPECT_EQ(told.size(), released.size()) << "plans that nobody was told of";
  for (const auto& [plan_id, events] : told) {
    EXPECT_EQ(released.count(plan_id), 1);
    EXPECT_EQ(events.reserved, 1);
    EXPECT_EQ(events.charged, 1);
    EXPECT_EQ(events.published, 1);
  }
  const Finished verified = world_.Analyst("ann", {"ledger", "notes", "--verify"});
  EXPECT_EQ(verified.exit_code, 0) << verified.output;
}

}  // namespace many_clients_test
}  // namespace topicwall::testing
