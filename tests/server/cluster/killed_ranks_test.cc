// Ranks that are killed at every step of a release, by kill points (base/kill_point.h) in what is
// otherwise the deployed program.
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/cluster/small_job.h"

namespace topicwall::cluster {
namespace killed_ranks_test {

using ::topicwall::testing::StatusIs;
using Peer = mechanism::PartialSumTestPeer;

constexpr int kRanks = 3;

// One of the ranks is killed when it comes to the point.
std::vector<std::string> Killed(const SmallJobWorld& world, int victim, const std::string& point) {
  std::vector<std::string> command = {"/usr/bin/mpirun", "--oversubscribe"};
  for (int rank = 0; rank < kRanks; ++rank) {
    if (rank > 0) command.emplace_back(":");
    command.insert(command.end(), {"-n", "1"});
    if (rank == victim) {
      command.insert(command.end(), {"/usr/bin/env", absl::StrCat("TOPICWALL_KILL_AT=", point)});
    }
    command.insert(command.end(), {std::string(TOPICWALL_BINARY_DIR) + "/killable/topicwall-worker",
                                   "--config", world.config_path()});
  }
  return command;
}

struct Kill {
  int rank;
  std::string point;
};

// A job's first order is to prepare, the second one to sum.
std::vector<Kill> KillsAfterTheCharge() {
  std::vector<Kill> kills = {{0, "rank-amid-answer:2"}};  // between OK and the sum
  for (const int rank : {0, 2}) {
    for (const char* point : {"rank-has-order:2", "rank-before-sum", "rank-after-sum",
                              "rank-in-the-reduction", "rank-after-answer:2"}) {
      kills.push_back({rank, point});
    }
  }
  return kills;
}

TEST(KilledRanksTest, AtAnyStepAfterTheChargeEndTheJobAndTheNextOneGivesTheSameBits) {
  SmallJobWorld world;
  constexpr How kHow = {.direction_noise = 5};  // a clip that ranks work out from what they get
  const Grid expected = world.SumByThreads(kHow);
  for (const Kill& kill : KillsAfterTheCharge()) {
    SCOPED_TRACE(absl::StrCat("rank ", kill.rank, " at ", kill.point));
    world.Run(Killed(world, kill.rank, kill.point));
    world.Accept();
    ASSERT_OK_AND_ASSIGN(auto executor, world.Reserve(kHow));
    const mechanism::ReleaseKeys keys = world.KeysFor(kHow, kRanks);
    auto summing = std::async(
        std::launch::async, [&] { return executor.Sum(SmallJobWorld::OrderTo(keys.coins, kHow)); });
    EXPECT_NE(world.mpirun().Wait(), 0);  // of all ranks
    world.StartAndAccept(kRanks);
    ASSERT_OK_AND_ASSIGN(const auto sum, summing.get());
    EXPECT_FALSE(sum.unreadable);
    EXPECT_EQ(Peer::Grid(sum.sum), expected);
  }
}

TEST(KilledRanksTest, BeforeTheChargeRefuseTheReleaseWhichIsThenAskedForAgain) {
  SmallJobWorld world;
  for (const Kill& kill :
       {Kill{0, "rank-has-order"}, {0, "rank-amid-answer"}, {2, "rank-has-order"}}) {
    world.Run(Killed(world, kill.rank, kill.point));
    world.Accept();
    // Rank 0 may have answered, and then it is lost when the sum is asked for.
    EXPECT_EQ(world.Reserve({}).ok(), kill.point == "rank-amid-answer") << kill.rank;
    EXPECT_NE(world.mpirun().Wait(), 0);
  }
  world.StartAndAccept(kRanks);
  EXPECT_OK(world.SumByJob({}));
}

TEST(KilledRanksTest, InEveryAttemptFailTheReleaseAndNoFourthJobIsAsked) {
  SmallJobWorld world;
  world.Run(Killed(world, 1, "rank-after-sum"));
  world.Accept();
  ASSERT_OK_AND_ASSIGN(auto executor, world.Reserve({}));
  const mechanism::ReleaseKeys keys = world.KeysFor({}, kRanks);
  auto summing = std::async(std::launch::async,
                            [&] { return executor.Sum(SmallJobWorld::OrderTo(keys.coins)); });
  for (int attempt = 1; attempt <= JobExecutor::kAttempts; ++attempt) {
    EXPECT_NE(world.mpirun().Wait(), 0) << attempt;
    if (attempt == JobExecutor::kAttempts) break;
    world.Run(Killed(world, 1, "rank-after-sum"));
    world.Accept();
  }
  EXPECT_THAT(summing.get(), StatusIs(absl::StatusCode::kUnavailable));
  world.StartAndAccept(kRanks);
  EXPECT_OK(world.SumByJob({})) << "the next release is summed";
}

}  // namespace killed_ranks_test
}  // namespace topicwall::cluster
