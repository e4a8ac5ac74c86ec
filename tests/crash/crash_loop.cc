#include "tests/crash/crash_loop.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <functional>
#include <memory>
#include <vector>

#include "proto/grpc_status.h"
#include "proto/ledger.pb.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

constexpr int kMaxAttempts = 4;

// A call that is repeated with the server started again until it is answered.
class Caller {
 public:
  Caller(WallWorld& world, const std::string& kill_at) : world_(world) {
    Environment environment;
    if (!kill_at.empty()) environment["TOPICWALL_KILL_AT"] = kill_at;
    EXPECT_TRUE(world_.StartServer(environment)) << world_.ServerOutput();
    stub_ = world_.StubOf("alice");
  }

  absl::Status Until(const std::function<absl::Status(v1::PrivacyWall::Stub&)>& call) {
    absl::Status status;
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      status = call(*stub_);
      if (status.ok() || !absl::IsUnavailable(status)) return status;
      EXPECT_EQ(world_.server().Wait(), 128 + SIGKILL);
      ++kills_;
      EXPECT_TRUE(world_.StartServer()) << world_.ServerOutput();
      stub_ = world_.StubOf("alice");
    }
    return status;
  }

  v1::PrivacyWall::Stub& stub() { return *stub_; }
  void Disconnect() { stub_.reset(); }
  int kills() const { return kills_; }

 private:
  WallWorld& world_;
  std::unique_ptr<v1::PrivacyWall::Stub> stub_;
  int kills_ = 0;
};

void CountEvents(WallWorld& world, const std::string& plan_id, Aftermath* aftermath) {
  auto auditor = world.StubOf("ann");
  grpc::ClientContext context;
  v1::ReadLedgerRequest request;
  request.set_corpus("notes");
  auto reader = auditor->ReadLedger(&context, request);
  v1::LedgerEntry entry;
  while (reader->Read(&entry)) {
    v1::LedgerEvent event;
    EXPECT_TRUE(event.ParseFromString(entry.event()));
    aftermath->reserved += event.plan_reserved().plan_id() == plan_id;
    aftermath->charged += event.iteration_charged().plan_id() == plan_id;
    aftermath->published += event.release_published().plan_id() == plan_id;
    aftermath->cancelled += event.plan_cancelled().plan_id() == plan_id;
  }
  EXPECT_TRUE(reader->Finish().ok());
}

absl::Status Cancel(v1::PrivacyWall::Stub& stub, const std::string& plan_id) {
  grpc::ClientContext context;
  v1::CancelPlanRequest request;
  request.set_plan_id(plan_id);
  v1::PlanState state;
  return proto::FromGrpcStatus(stub.CancelPlan(&context, request, &state));
}

}  // namespace

WorldOptions CrashWorld() {
  return {.epsilon = 1000,
          .release_interval_ms = 1000,
          .documents = 60,
          .server_program = "topicwall-server-killable"};
}

Aftermath LiveOnce(WallWorld& world, const std::string& kill_at, const std::string& request_id) {
  Aftermath aftermath;
  Caller alice(world, kill_at);
  const std::vector<float> topics = WallWorld::LogTopics();
  v1::PlanSpec plan;
  EXPECT_OK(alice.Until([&](auto&) {
    plan = world.Plan(4, 2);
    return absl::OkStatus();
  }));
  std::string plan_id;
  EXPECT_OK(alice.Until([&](auto& stub) {
    const auto state = world.Reserve(stub, plan, request_id);
    if (state.ok()) plan_id = state->plan_id();
    return state.status();
  }));
  Received received;
  EXPECT_OK(alice.Until([&](auto& stub) {
    const auto answer = WallWorld::RunEStep(stub, WallWorld::Header(plan_id, 1, topics), topics);
    if (answer.ok()) received = *answer;
    return answer.status();
  }));
  EXPECT_OK(alice.Until([&](auto& stub) { return Cancel(stub, plan_id); }));
  const auto stored = WallWorld::GetRelease(alice.stub(), plan_id, 1);
  EXPECT_OK(stored);
  aftermath.read_again = stored.ok() && stored->statistics == received.statistics;
  const auto budget = WallWorld::Budget(alice.stub());
  EXPECT_OK(budget);
  aftermath.epsilon_spent = budget->epsilon_spent();
  CountEvents(world, plan_id, &aftermath);
  aftermath.kills = alice.kills();
  alice.Disconnect();
  world.StopServer();
  return aftermath;
}

}  // namespace topicwall::testing
