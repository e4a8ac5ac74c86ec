// A server whose releases are summed by processes under the real mpirun, or a real Slurm.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/local_doors.h"
#include "server/wall_config.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/ranks_with_config.h"
#include "tests/support/slurm_cluster.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SummingJobTest : public ::testing::Test {
 protected:
  // Of all programs that it starts: mpirun refuses root unless it is told twice.
  SummingJobTest() {
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_btl", "self,vader", 1);
    setenv("OMPI_MCA_orte_tmpdir_base", world_.Path("").c_str(), 1);
  }

  void Configure(const std::string& launch) {
    world_.WriteFile("wall.textproto",
                     absl::StrCat(world_.ReadFile("wall.textproto"), "executor { mpi { launch: \"",
                                  launch, "\" } }\n"));
  }
  std::string LaunchOf(int num_ranks, const std::string& worker = "topicwall-worker") const {
    return absl::StrCat("/usr/bin/mpirun --oversubscribe -n ", num_ranks, " ",
                        WallWorld::Program(worker), " --config ", world_.Path("wall.textproto"));
  }
  void Start(const std::string& launch) {
    Configure(launch);
    ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  }
  std::vector<pid_t> Ranks() const { return RanksWithConfig(world_.Path("wall.textproto")); }
  void AwaitRanks(size_t num_ranks) const {
    for (int tries = 0; Ranks().size() != num_ranks; ++tries) {
      ASSERT_LT(tries, 1200) << Ranks().size() << "\n" << world_.ServerOutput();
      absl::SleepFor(absl::Milliseconds(50));
    }
  }

  // As a client does: before the charge it is told to come again.
  static absl::StatusOr<Received> AwaitRelease(v1::PrivacyWall::Stub& stub,
                                               const std::string& plan_id, int iteration,
                                               double direction_noise = 0) {
    const v1::RunReleaseHeader header = WallWorld::Header(
        plan_id, iteration, WallWorld::LogTopics(), WallWorld::OfThreeTopics(), direction_noise);
    absl::StatusOr<Received> received;
    do {
      received = WallWorld::RunRelease(stub, header, WallWorld::LogTopics());
    } while (absl::IsUnavailable(received.status()));
    return received;
  }
  // Of the plan's iterations.
  static int Charged(v1::PrivacyWall::Stub& stub, const std::string& plan_id) {
    v1::GetPlanRequest request;
    request.set_plan_id(plan_id);
    v1::PlanState state;
    grpc::ClientContext context;
    EXPECT_TRUE(stub.GetPlan(&context, request, &state).ok());
    return state.iterations_size();
  }

  WallWorld world_;
};

TEST_F(SummingJobTest, ReleasesComeFromItAlsoAfterARankWasKilledAndItEndsWithTheServer) {
  Start(LaunchOf(3));
  const auto alice = world_.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world_.Reserve(*alice, world_.Plan(4, 3), std::string(16, 'r')));
  for (int iteration = 1; iteration <= 3; ++iteration) {
    AwaitRanks(3);
    if (iteration > 1) kill(Ranks()[static_cast<size_t>(iteration) - 1], SIGKILL);
    const double direction_noise = iteration == 1 ? 0 : 5;
    const auto received = AwaitRelease(*alice, plan.plan_id(), iteration, direction_noise);
    ASSERT_OK(received) << iteration;
    EXPECT_EQ(received->header.direction_noise(), direction_noise);
    EXPECT_EQ(received->statistics.size(), 4U * WallWorld::kTopics * WallWorld::kVocabulary);
  }
  EXPECT_THAT(world_.ReadFile("events.jsonl"), HasSubstr("job_ended_and_is_started_again"));
  EXPECT_EQ(Charged(*alice, plan.plan_id()), 3);
  world_.server().Signal(SIGTERM);
  EXPECT_EQ(world_.server().Wait(), 0);
  AwaitRanks(0);
}

TEST_F(SummingJobTest, ReleasesComeFromRanksThatSlurmStartsAndTheyEndWithTheServer) {
  const std::string why_not = SlurmCluster::WhyNot();
  if (!why_not.empty()) GTEST_SKIP() << "no Slurm here: " << why_not;
  const SlurmCluster slurm(2);
  for (const auto& [name, value] : slurm.environment()) setenv(name.c_str(), value.c_str(), 1);
  Start(absl::StrCat(absl::StrJoin(SlurmCluster::Srun(2), " "), " ",
                     WallWorld::Program("topicwall-worker"), " --config ",
                     world_.Path("wall.textproto")));
  const auto alice = world_.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world_.Reserve(*alice, world_.Plan(4, 1), std::string(16, 'r')));
  AwaitRanks(2);
  ASSERT_OK_AND_ASSIGN(const auto received, AwaitRelease(*alice, plan.plan_id(), 1));
  EXPECT_EQ(received.statistics.size(), 4U * WallWorld::kTopics * WallWorld::kVocabulary);
  world_.server().Signal(SIGTERM);
  EXPECT_EQ(world_.server().Wait(), 0);
  AwaitRanks(0);
}

// As a rank does that stands still before it says it.
TEST_F(SummingJobTest, WhoSaysNoHelloKeepsOutNeitherGateNorCustodian) {
  Start("/bin/sleep 1000");
  ASSERT_OK_AND_ASSIGN(const auto plan, world_.Reserve(*world_.StubOf("alice"), world_.Plan(4, 1),
                                                       std::string(16, 'r')));
  ASSERT_OK_AND_ASSIGN(const auto config, server::ReadWallConfig(world_.Path("wall.textproto")));
  ASSERT_OK(server::ConnectToServer(server::Door::kJob, config));
  ASSERT_TRUE(world_.server().KillChild("topicwall-gate"));
  const Finished cancelled = world_.Admin(
      {"cancel-plan", "--config", world_.Path("wall.textproto"), "--plan", plan.plan_id()});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.output;
  // The next gate says so once the vault has answered it.
  const auto gates = [this] {
    return std::vector<std::string>(
               absl::StrSplit(world_.ReadFile("events.jsonl"), "\"server_started\""))
               .size() -
           1;
  };
  for (int tries = 0; gates() < 2; ++tries) {
    ASSERT_LT(tries, 600) << world_.ServerOutput();
    absl::SleepFor(absl::Milliseconds(50));
  }
}

TEST_F(SummingJobTest, WithoutOneNothingIsChargedAndTheAnswerSaysWhereToLook) {
  Start("/bin/false");
  const auto alice = world_.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world_.Reserve(*alice, world_.Plan(4, 1), std::string(16, 'r')));
  EXPECT_THAT(
      WallWorld::RunRelease(*alice, WallWorld::Header(plan.plan_id(), 1, WallWorld::LogTopics()),
                            WallWorld::LogTopics()),
      StatusIs(absl::StatusCode::kUnavailable, HasSubstr("executor.mpi.launch")));
  EXPECT_EQ(Charged(*alice, plan.plan_id()), 0);
}

TEST_F(SummingJobTest, AReleaseWhoseJobsAllDieIsVoidAndStaysCharged) {
  Start(absl::StrCat("/usr/bin/env TOPICWALL_KILL_AT=rank-after-sum ",
                     LaunchOf(2, "killable/topicwall-worker")));
  const auto alice = world_.StubOf("alice");
  ASSERT_OK_AND_ASSIGN(const auto plan,
                       world_.Reserve(*alice, world_.Plan(4, 2), std::string(16, 'r')));
  absl::StatusOr<Received> received;
  do {
    received =
        WallWorld::RunRelease(*alice, WallWorld::Header(plan.plan_id(), 1, WallWorld::LogTopics()),
                              WallWorld::LogTopics());
  } while (Charged(*alice, plan.plan_id()) == 0);
  EXPECT_FALSE(received.ok());
  EXPECT_EQ(Charged(*alice, plan.plan_id()), 1);
}

TEST_F(SummingJobTest, CheckConfigMeasuresTheJobIfNoServerRuns) {
  Configure(LaunchOf(3));
  const std::vector<std::string> check = {"check-config", "--config", world_.Path("wall.textproto"),
                                          "--json"};
  const Finished measured = world_.Admin(check);
  EXPECT_EQ(measured.exit_code, 0) << measured.output;
  EXPECT_THAT(measured.output,
              AllOf(HasSubstr("\"ranks\":3"), HasSubstr("\"kernel\":\""),
                    HasSubstr("\"job_start_ms\":"), HasSubstr("\"worst_case_ms\":")));
  AwaitRanks(0);
  ASSERT_TRUE(world_.StartServer()) << world_.ServerOutput();
  const Finished beside = world_.Admin(check);
  EXPECT_EQ(beside.exit_code, 0) << beside.output;
  EXPECT_THAT(beside.output, AllOf(HasSubstr("a server runs with this configuration"),
                                   Not(HasSubstr("worst_case_ms"))));
}

TEST_F(SummingJobTest, CheckConfigSaysThatAJobEndsBeforeItIsReady) {
  Configure("/bin/false");
  const Finished checked =
      world_.Admin({"check-config", "--config", world_.Path("wall.textproto")});
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
  EXPECT_THAT(checked.output, HasSubstr("ended before all its ranks were ready"));
}

}  // namespace
}  // namespace topicwall::testing
