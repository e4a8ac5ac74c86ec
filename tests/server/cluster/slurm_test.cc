// Ranks that Slurm starts instead of mpirun.
#include <gtest/gtest.h>
#include <signal.h>

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "tests/server/cluster/small_job.h"
#include "tests/support/ranks_with_config.h"
#include "tests/support/slurm_cluster.h"

namespace topicwall::cluster {
namespace slurm_test {

using ::topicwall::testing::SlurmCluster;
using Peer = mechanism::PartialSumTestPeer;

constexpr int kHosts = 3;

class SlurmTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why_not = SlurmCluster::WhyNot();
    if (!why_not.empty()) GTEST_SKIP() << "no Slurm here: " << why_not;
    slurm_.emplace(kHosts);
    world_.emplace();
  }
  // As the supervisor does, again until one is ready: Open MPI's ranks may fail while a job ends
  // beside them.
  void StartAndAccept() {
    std::vector<std::string> command = SlurmCluster::Srun(kHosts);
    command.insert(command.end(), {std::string(TOPICWALL_BINARY_DIR) + "/topicwall-worker",
                                   "--config", world_->config_path()});
    for (int attempt = 0; attempt < 5; ++attempt) {
      world_->Run(command, slurm_->environment());
      if (world_->TryToAccept()) return;
    }
    FAIL() << world_->output();
  }

  std::optional<SlurmCluster> slurm_;
  std::optional<SmallJobWorld> world_;
};

TEST_F(SlurmTest, ARankOnEachHostGivesTheBitsOfTheThreads) {
  StartAndAccept();
  ASSERT_OK_AND_ASSIGN(const auto job, world_->job().Await(absl::Minutes(1)));
  EXPECT_EQ(job->num_ranks(), kHosts);
  for (const How& how : {How{}, How{.sampling_rate = 0.3, .max_words = 5}}) {
    ASSERT_OK_AND_ASSIGN(const auto sum, world_->SumByJob(how));
    EXPECT_EQ(Peer::Grid(sum.sum), world_->SumByThreads(how));
  }
}

// Without --kill-on-bad-exit the others would wait for it, and the release with them.
TEST_F(SlurmTest, ARankThatIsKilledEndsTheJobAndTheNextOneGivesTheSameBits) {
  StartAndAccept();
  ASSERT_OK_AND_ASSIGN(auto executor, world_->Reserve({}));
  const std::vector<pid_t> ranks = testing::RanksWithConfig(world_->config_path());
  ASSERT_EQ(ranks.size(), kHosts);
  EXPECT_EQ(kill(ranks.back(), SIGKILL), 0);
  const mechanism::ReleaseKeys keys = world_->KeysFor({}, kHosts);
  auto summing = std::async(std::launch::async,
                            [&] { return executor.Sum(SmallJobWorld::OrderTo(keys.coins)); });
  EXPECT_NE(world_->mpirun().Wait(), 0);
  StartAndAccept();
  ASSERT_OK_AND_ASSIGN(const auto sum, summing.get());
  EXPECT_EQ(Peer::Grid(sum.sum), world_->SumByThreads({}));
}

}  // namespace slurm_test
}  // namespace topicwall::cluster
