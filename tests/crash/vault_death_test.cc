// One of the server's processes dies and is started again by the others, as it is deployed: the
// vault, the gate, the supervisor.
#include "tests/crash/vault_death.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/free_port.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

constexpr std::chrono::seconds kSoon{120};
// Of a release that is to be met while it waits.
constexpr int64_t kLongMs = 5000;

class VaultDeathTest : public ::testing::TestWithParam<const char*> {};

// One of each kind; vault_death_soak_test.cc has them all.
TEST_P(VaultDeathTest, TheCallIsAnsweredAtItsInstantAndPaidOnce) {
  bool found = false;
  for (const VaultDeath& death : kVaultDeaths) {
    if (std::string(death.kill_at) != GetParam()) continue;
    found = true;
    RecordProperty("late_ms", absl::StrCat(DieAt(death)));
  }
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, VaultDeathTest,
                         ::testing::Values("before-reserve-commit", "before-charge-commit",
                                           "after-sum;before-store-commit", "after-store-commit",
                                           "inside-reply", "after-cancel-commit"),
                         [](const auto& point) {
                           return absl::StrReplaceAll(point.param, {{"-", "_"}, {";", "_then_"}});
                         });

TEST(VaultDeathsTest, EveryQuestionIsAnsweredByTheNextVault) { DieInEveryQuestion(); }

TEST(VaultDeathsTest, KillsAtAnyMomentLoseNothingAndPayNothingTwice) {
  DieAtRandom(std::random_device{}(), /*kills=*/2, /*releases=*/3);
}

absl::StatusOr<Received> RunFirst(v1::PrivacyWall::Stub& stub, const std::string& plan_id) {
  const std::vector<float> topics = WallWorld::LogTopics();
  return WallWorld::RunRelease(stub, WallWorld::Header(plan_id, 1, topics), topics);
}

int Charges(const WallWorld& world, const std::string& plan_id) {
  grpc::ClientContext context;
  v1::GetPlanRequest request;
  request.set_plan_id(plan_id);
  v1::PlanState state;
  EXPECT_TRUE(world.StubOf("alice")->GetPlan(&context, request, &state).ok());
  return state.iterations_size();
}

// What kills the vault is not sent for ever: three times by the gate, and then when the analyst
// asks again, until its three recomputations are used up.
TEST(VaultDeathsTest, AReleaseThatKillsTheVaultEachTimeIsGivenUpAndAllElseGoesOn) {
  WallWorld world(
      {.release_interval_ms = 300, .documents = 60, .server_program = "killable/topicwall-server"});
  ASSERT_TRUE(
      world.StartServer({{"TOPICWALL_KILL_AT", "after-sum;after-sum;after-sum;after-sum"}}));
  const auto alice = world.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       WallWorld::Reserve(*alice, world.Plan(20, 2), std::string(16, 'r')));
  EXPECT_THAT(RunFirst(*alice, plan.plan_id()), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(RunFirst(*alice, plan.plan_id()), StatusIs(absl::StatusCode::kDataLoss))
      << world.ServerOutput() << world.ReadFile("events.jsonl");
  EXPECT_EQ(Charges(world, plan.plan_id()), 1);
  ASSERT_OK_AND_ASSIGN(const auto other,
                       WallWorld::Reserve(*alice, world.Plan(20, 1), std::string(16, 'o')));
  EXPECT_OK(RunFirst(*alice, other.plan_id()));
}

class ProcessDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // Where the gate listens again when it is started again.
    world_.WriteFile(
        "wall.textproto",
        absl::StrReplaceAll(world_.ReadFile("wall.textproto"),
                            {{"127.0.0.1:0", absl::StrCat("127.0.0.1:", FreePort())}}));
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
    vault_ = world_.server().Child("topicwall-vault");
    gate_ = world_.server().Child("topicwall-gate");
    ASSERT_TRUE(vault_ != 0 && gate_ != 0);
    ASSERT_OK_AND_ASSIGN(
        const auto plan,
        WallWorld::Reserve(*world_.StubOf("alice"), world_.Plan(20, 1), std::string(16, 'r')));
    plan_id_ = plan.plan_id();
  }
  // Asked for, charged, and not yet published.
  std::thread BeginRelease() {
    std::thread running([this] {
      const auto stub = world_.StubOnItsOwn("alice");
      interrupted_ = RunFirst(*stub, plan_id_).status();
    });
    while (Charges(world_, plan_id_) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return running;
  }
  template <typename Holds>
  static bool Soon(const Holds& holds) {
    const auto deadline = std::chrono::steady_clock::now() + kSoon;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }

  WallWorld world_{{.release_interval_ms = kLongMs,
                    .documents = 60,
                    .server_program = "killable/topicwall-server"}};
  pid_t vault_ = 0, gate_ = 0;
  std::string plan_id_;
  absl::Status interrupted_;
};

TEST_F(ProcessDeathTest, AVaultGoesOnWithoutItsGateAndTheNextGateListensAtTheSamePlace) {
  std::thread running = BeginRelease();
  kill(gate_, SIGKILL);
  running.join();
  EXPECT_THAT(interrupted_, StatusIs(absl::StatusCode::kUnavailable));
  absl::StatusOr<Received> release;
  EXPECT_TRUE(Soon([&] {
    release = WallWorld::GetRelease(*world_.StubOnItsOwn("alice"), plan_id_, 1);
    return release.ok();
  })) << release.status();
  EXPECT_EQ(world_.server().Child("topicwall-vault"), vault_);
  EXPECT_NE(world_.server().Child("topicwall-gate"), gate_);
  ASSERT_OK(release);
  const v1::ReleaseHeader& header = release->header;
  EXPECT_EQ(header.readable_at_ms(), header.charged_at_ms() + kLongMs) << "its first instant";
  EXPECT_EQ(Charges(world_, plan_id_), 1);
}

TEST_F(ProcessDeathTest, ProcessesGoWithTheirSupervisorAndTheNextServerStartsAtOnce) {
  std::thread running = BeginRelease();
  world_.KillServer();
  EXPECT_TRUE(Soon([&] { return kill(vault_, 0) != 0 && kill(gate_, 0) != 0; }));
  running.join();
  EXPECT_THAT(interrupted_, StatusIs(absl::StatusCode::kUnavailable));
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  EXPECT_OK(RunFirst(*world_.StubOnItsOwn("alice"), plan_id_));
  EXPECT_EQ(Charges(world_, plan_id_), 1);
}

}  // namespace
}  // namespace topicwall::testing
