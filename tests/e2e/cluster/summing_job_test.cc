// A server whose releases are summed by processes under the real mpirun.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::testing {
namespace {

using ::testing::HasSubstr;

const std::vector<float>& Topics() {
  static const std::vector<float>& topics = *new std::vector<float>(WallWorld::LogTopics());
  return topics;
}

class SummingJobTest : public ::testing::Test {
 protected:
  void Start(const std::string& launch) {
    world_.WriteFile("wall.textproto",
                     absl::StrCat(world_.ReadFile("wall.textproto"), "executor { mpi { launch: \"",
                                  launch, "\" } }\n"));
    ASSERT_TRUE(world_.StartServer({{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                                    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                                    {"OMPI_MCA_btl", "self,vader"},
                                    {"TMPDIR", world_.Path("")}}))
        << world_.ServerOutput();
  }
  void StartRanks(int num_ranks) {
    Start(absl::StrCat("/usr/bin/mpirun --oversubscribe -n ", num_ranks, " ",
                       WallWorld::Program("topicwall-worker"), " --config ",
                       world_.Path("wall.textproto")));
  }
  std::vector<pid_t> Ranks() const {
    std::vector<pid_t> ranks;
    for (const auto& process : std::filesystem::directory_iterator("/proc")) {
      std::ifstream command(process.path() / "cmdline");
      std::string program, config;
      std::getline(command, program, '\0');
      std::getline(command, config, '\0');
      std::getline(command, config, '\0');
      if (program == WallWorld::Program("topicwall-worker") &&
          config == world_.Path("wall.textproto")) {
        ranks.push_back(std::stoi(process.path().filename().string()));
      }
    }
    return ranks;
  }
  void AwaitRanks(size_t num_ranks) const {
    for (int tries = 0; Ranks().size() != num_ranks; ++tries) {
      ASSERT_LT(tries, 1200) << Ranks().size() << "\n" << world_.ServerOutput();
      absl::SleepFor(absl::Milliseconds(50));
    }
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
  StartRanks(3);
  const auto alice = world_.StubOf("alice");
  const auto plan = world_.Reserve(*alice, world_.Plan(4, 3), std::string(16, 'r'));
  ASSERT_OK(plan);
  for (int iteration = 1; iteration <= 3; ++iteration) {
    AwaitRanks(3);
    if (iteration > 1) kill(Ranks()[static_cast<size_t>(iteration) - 1], SIGKILL);
    // As a client does: before the charge it is told to come again.
    absl::StatusOr<Received> received;
    do {
      received = WallWorld::RunRelease(
          *alice, WallWorld::Header(plan->plan_id(), iteration, Topics()), Topics());
    } while (absl::IsUnavailable(received.status()));
    ASSERT_OK(received) << iteration;
    EXPECT_EQ(received->statistics.size(), 4U * WallWorld::kTopics * WallWorld::kVocabulary);
  }
  EXPECT_THAT(world_.ReadFile("events.jsonl"), HasSubstr("job_ended_and_is_started_again"));
  EXPECT_EQ(Charged(*alice, plan->plan_id()), 3);
  world_.server().Signal(SIGTERM);
  EXPECT_EQ(world_.server().Wait(), 0);
  AwaitRanks(0);
}

TEST_F(SummingJobTest, WithoutOneNothingIsChargedAndTheAnswerSaysWhereToLook) {
  Start("/bin/false");
  const auto alice = world_.StubOf("alice");
  const auto plan = world_.Reserve(*alice, world_.Plan(4, 1), std::string(16, 'r'));
  ASSERT_OK(plan);
  EXPECT_THAT(
      WallWorld::RunRelease(*alice, WallWorld::Header(plan->plan_id(), 1, Topics()), Topics()),
      StatusIs(absl::StatusCode::kUnavailable, HasSubstr("executor.mpi.launch")));
  EXPECT_EQ(Charged(*alice, plan->plan_id()), 0);
}

}  // namespace
}  // namespace topicwall::testing
