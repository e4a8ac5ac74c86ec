// The server goes down and comes up again; the data directory has one writer.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Starts the server, ends it by SIGTERM once a release is charged, and starts it again. `plan_id`
// is that of its plan, whose first iteration it is; `answer` what its analyst got.
void EndAmidARelease(WallWorld& world, std::string& plan_id, absl::StatusOr<Received>& answer) {
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const auto alice = world.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world.Reserve(*alice, world.Plan(4, 2), std::string(16, 'r')));
  plan_id = plan.plan_id();
  std::thread running([&] {
    answer = WallWorld::RunRelease(*alice, WallWorld::Header(plan_id, 1, WallWorld::LogTopics()),
                                   WallWorld::LogTopics());
  });
  v1::PlanState state;
  bool answered = true;
  while (answered && state.iterations_size() == 0) {
    grpc::ClientContext context;
    v1::GetPlanRequest request;
    request.set_plan_id(plan_id);
    answered = alice->GetPlan(&context, request, &state).ok();
  }
  world.server().Signal(SIGTERM);
  EXPECT_EQ(world.server().Wait(), 0);
  running.join();
  ASSERT_TRUE(answered);
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
}

v1::CorpusDescription Described(v1::PrivacyWall::Stub& analyst) {
  grpc::ClientContext context;
  v1::DescribeCorpusRequest request;
  request.set_corpus("notes");
  v1::CorpusDescription description;
  EXPECT_TRUE(analyst.DescribeCorpus(&context, request, &description).ok());
  return description;
}

TEST(RestartTest, WhatWasPaidIsThereAfterAKill) {
  WallWorld world;
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  auto alice = world.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world.Reserve(*alice, world.Plan(4, 2), std::string(16, 'r')));
  std::vector<Received> before;
  for (const double direction_noise : {0.0, 5.0}) {
    const int iteration = static_cast<int>(before.size()) + 1;
    const auto header = WallWorld::Header(plan.plan_id(), iteration, WallWorld::LogTopics(),
                                          WallWorld::OfThreeTopics(), direction_noise);
    ASSERT_OK_AND_ASSIGN(const auto received,
                         WallWorld::RunRelease(*alice, header, WallWorld::LogTopics()));
    EXPECT_EQ(received.header.direction_noise(), direction_noise);
    before.push_back(received);
  }
  ASSERT_OK_AND_ASSIGN(const auto budget_before, WallWorld::Budget(*alice));
  world.KillServer();

  // Started again for another configuration, which the plan would not pass.
  world.WriteFile("wall.textproto", absl::StrReplaceAll(world.ReadFile("wall.textproto"),
                                                        {{"max_tokens: 50", "max_tokens: 49"}}));
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  alice = world.StubOf("alice");
  for (const Received& received : before) {
    ASSERT_OK_AND_ASSIGN(const auto after, WallWorld::GetRelease(*alice, plan.plan_id(),
                                                                 received.header.iteration()));
    EXPECT_EQ(after.statistics, received.statistics);
    EXPECT_EQ(after.header.direction_noise(), received.header.direction_noise());
  }
  ASSERT_OK_AND_ASSIGN(const auto budget_after, WallWorld::Budget(*alice));
  EXPECT_EQ(budget_after.epsilon_spent(), budget_before.epsilon_spent());
  EXPECT_EQ(budget_after.chain_head(), budget_before.chain_head());
  // The same reservation asked for again is the same plan.
  ASSERT_OK_AND_ASSIGN(const auto again, world.Reserve(*alice, plan.plan(), std::string(16, 'r')));
  EXPECT_EQ(again.plan_id(), plan.plan_id());
}

// As logrotate sends one, or a terminal that closes, to all processes.
TEST(RestartTest, AHangupEndsNothingAndTermEndsTheServerCleanly) {
  WallWorld world;
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  for (const pid_t process : world.server().Family()) kill(process, SIGHUP);
  // A hangup that ends a process comes before what is sent behind it.
  world.server().Signal(SIGTERM);
  EXPECT_EQ(world.server().Wait(), 0);
  EXPECT_THAT(world.ReadFile("events.jsonl"),
              AllOf(HasSubstr("server_stopped"), Not(HasSubstr("alarm"))));
}

// As it does while it composes, starts again or waits for a disk.
TEST(RestartTest, WhatIsKnownIsToldWhileTheVaultStandsStill) {
  WallWorld world;
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const auto alice = world.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world.Reserve(*alice, world.Plan(4, 2), std::string(16, 'r')));
  const auto ask = [&](absl::Duration at_most, v1::BudgetStatus* budget, v1::PlanState* state) {
    const auto until = absl::ToChronoTime(absl::Now() + at_most);
    v1::GetBudgetRequest of_corpus;
    of_corpus.set_corpus("notes");
    v1::GetPlanRequest of_plan;
    of_plan.set_plan_id(plan.plan_id());
    grpc::ClientContext first, second;
    first.set_deadline(until);
    second.set_deadline(until);
    return alice->GetBudget(&first, of_corpus, budget).ok() &&
           alice->GetPlan(&second, of_plan, state).ok();
  };
  v1::BudgetStatus budget, told;
  v1::PlanState state, told_state;
  // Until the gate has heard of the reservation from the vault itself, which nothing tells: nothing
  // moves after that.
  bool answered = false;
  for (int round = 0; round < 60 && !answered; ++round) {
    ASSERT_TRUE(ask(absl::Minutes(2), &budget, &state));
    const pid_t vault = world.server().Child("topicwall-vault");
    ASSERT_NE(vault, 0);
    kill(vault, SIGSTOP);
    answered = ask(absl::Seconds(1), &told, &told_state);
    kill(vault, SIGCONT);
  }
  ASSERT_TRUE(answered);
  EXPECT_EQ(told.SerializeAsString(), budget.SerializeAsString());
  EXPECT_EQ(told_state.SerializeAsString(), state.SerializeAsString());
  EXPECT_GT(told.epsilon_spent(), 0);
}

// As over all of them, which would void it. The sleep is the standstill: by more than the five
// seconds beyond its store moment that tell one.
TEST(RestartTest, AServerThatStoodStillOverInstantsOfAReleaseGivesItAsAfterARestart) {
  WallWorld world;
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const auto alice = world.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const v1::PlanState plan,
                       world.Reserve(*alice, world.Plan(40, 10), std::string(16, 'r')));
  const auto header = [&](int iteration) {
    return WallWorld::Header(plan.plan_id(), iteration, WallWorld::LogTopics());
  };
  // Until the signal comes between a charge and its store moment.
  for (int iteration = 1; iteration <= 10 && Described(*alice).restarts() == 0; ++iteration) {
    absl::StatusOr<Received> release;
    std::thread running([&] {
      release = WallWorld::RunRelease(*alice, header(iteration), WallWorld::LogTopics());
    });
    v1::PlanState state;
    while (state.iterations_size() < iteration) {
      grpc::ClientContext context;
      v1::GetPlanRequest request;
      request.set_plan_id(plan.plan_id());
      ASSERT_TRUE(alice->GetPlan(&context, request, &state).ok());
    }
    for (const pid_t process : world.server().Family()) kill(process, SIGSTOP);
    absl::SleepFor(absl::Seconds(7));
    for (const pid_t process : world.server().Family()) kill(process, SIGCONT);
    running.join();
    ASSERT_OK(release);
    ASSERT_OK_AND_ASSIGN(const Received again,
                         WallWorld::RunRelease(*alice, header(iteration), WallWorld::LogTopics()));
    EXPECT_EQ(again.statistics, release->statistics);
  }
  EXPECT_EQ(Described(*alice).restarts(), 1);
  EXPECT_EQ(Described(*alice).overruns(), 0);
  EXPECT_EQ(Described(*alice).voided(), 0);
}

// Whoever asked has been sent away by then; what is started next need compute nothing again.
TEST(RestartTest, TermWaitsForTheReleaseThatIsUnderWay) {
  // Beyond the five seconds in which the gate lets calls end.
  WallWorld world({.release_interval_ms = 8000});
  std::string plan_id;
  absl::StatusOr<Received> answer;
  ASSERT_NO_FATAL_FAILURE(EndAmidARelease(world, plan_id, answer));
  EXPECT_THAT(world.ReadFile("events.jsonl"), HasSubstr("release_published"));
  const auto alice = world.StubOf("alice");
  EXPECT_OK(WallWorld::GetRelease(*alice, plan_id, 1));
  EXPECT_EQ(Described(*alice).restarts(), 0);
}

// An hour from its instant.
TEST(RestartTest, TermEndsTheServerCleanlyWhileAReleaseWaits) {
  WallWorld world({.release_interval_ms = 3'600'000});
  std::string plan_id;
  absl::StatusOr<Received> answer;
  ASSERT_NO_FATAL_FAILURE(EndAmidARelease(world, plan_id, answer));
  EXPECT_FALSE(answer.ok()) << "an hour too early";
  EXPECT_OK(WallWorld::Budget(*world.StubOf("alice")));
}

// The gate remembers what it has told: not beyond the custodian's act.
TEST(RestartTest, TheCustodianCancelsAPlanWhileTheServerRunsAndItsAnalystSeesIt) {
  WallWorld world;
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const auto alice = world.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world.Reserve(*alice, world.Plan(4, 2), std::string(16, 'r')));
  ASSERT_GT(WallWorld::Budget(*alice)->epsilon_spent(), 0);
  const std::string config = world.Path("wall.textproto");
  const Finished cancelled =
      world.Admin({"cancel-plan", "--config", config, "--plan", plan.plan_id()});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.output;
  EXPECT_THAT(cancelled.output, HasSubstr("0 of its 2 iterations were charged"));
  const absl::Time deadline = absl::Now() + absl::Minutes(2);
  while (WallWorld::Budget(*alice)->epsilon_spent() > 0) ASSERT_LT(absl::Now(), deadline);
  grpc::ClientContext context;
  v1::GetPlanRequest request;
  request.set_plan_id(plan.plan_id());
  v1::PlanState state;
  ASSERT_TRUE(alice->GetPlan(&context, request, &state).ok());
  EXPECT_EQ(state.state(), v1::PlanState::CANCELLED);
  // What is refused is refused in the same words as without a server.
  const Finished thawed =
      world.Admin({"thaw", "--config", config, "--corpus", "notes", "--forfeit"});
  EXPECT_EQ(thawed.exit_code, 1);
  EXPECT_THAT(thawed.output, HasSubstr("not frozen"));
  // A key is replaced without a server only.
  const Finished kept = world.Admin({"rekey", "--config", config, "--output", world.Path("k2")});
  EXPECT_EQ(kept.exit_code, 1);
  EXPECT_THAT(kept.output, HasSubstr("stop the server"));
}

TEST(RestartTest, ASecondServerOnTheSameDataRefusesToStart) {
  WallWorld world;
  ASSERT_TRUE(world.StartServer()) << world.ServerOutput();
  const Finished second =
      RunToEnd({WallWorld::Program("topicwall-server"), "--config", world.Path("wall.textproto")});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.output, HasSubstr("another process"));
  EXPECT_THAT(world.ReadFile("events.jsonl"), Not(HasSubstr("alarm")));
}

// The vault's own error, and its code.
TEST(RestartTest, AKernelThatTheProcessorLacksIsAnErrorOfUsage) {
  WallWorld world;
  const Finished bad = RunToEnd({WallWorld::Program("topicwall-server"), "--config",
                                 world.Path("wall.textproto"), "--kernel", "abacus"});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.output, HasSubstr("portable-f32-4")) << "says which there are";
}

TEST(RestartTest, ALostLedgerIsAnErrorAndNeverAFreshBudget) {
  WallWorld world;
  for (const auto& entry : std::filesystem::directory_iterator(world.Path("data"))) {
    if (entry.path().string().find(".sqlite") != std::string::npos ||
        entry.path().filename().string().rfind("ledger.", 0) == 0) {
      if (entry.path().filename() != "ledger.id") std::filesystem::remove(entry.path());
    }
  }
  EXPECT_FALSE(world.StartServer());
  EXPECT_THAT(world.ServerOutput(), HasSubstr("restore"));
  const Finished open = world.Admin({"open-budget", "--config", world.Path("wall.textproto"),
                                     "--corpus", "notes", "--epsilon", "1", "--delta", "1e-6"});
  EXPECT_EQ(open.exit_code, 1) << open.output;
}

TEST(RestartTest, ADamagedCorpusIsNotServed) {
  WallWorld world;
  std::fstream file(world.Path("data/notes.corpus"),
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-200, std::ios::end);
  file.put('\x55');
  file.put('\x55');
  file.close();
  EXPECT_FALSE(world.StartServer());
  EXPECT_THAT(world.ServerOutput(), HasSubstr("unseal"));
}

}  // namespace
}  // namespace topicwall::testing
