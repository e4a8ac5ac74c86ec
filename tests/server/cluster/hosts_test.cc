// Ranks on hosts of different addresses, with a network between them.
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <set>
#include <string>
#include <system_error>

#include "tests/server/cluster/network_of_hosts.h"
#include "tests/server/cluster/small_job.h"
#include "tests/support/ranks_with_config.h"

namespace topicwall::cluster {
namespace hosts_test {

using Peer = mechanism::PartialSumTestPeer;

constexpr int kHosts = 3;

class HostsTest : public ::testing::Test {
 protected:
  // Not in the constructor, where nothing can be skipped.
  void SetUp() override {
    const std::string why_not = NetworkOfHosts::WhyNot();
    if (!why_not.empty()) GTEST_SKIP() << "no network namespaces here: " << why_not;
    hosts_.emplace(kHosts);
    world_.emplace();  // whose door is on the first host
  }
  // As the supervisor does, again until one is ready: what is left of a job on a host that was cut
  // off may get in the way of the next.
  void StartAndAccept() {
    for (int attempt = 0; attempt < 20; ++attempt) {
      world_->Run(RanksCommand({.num_ranks = kHosts,
                                .config = world_->config_path(),
                                .mpirun = hosts_->MpirunOptions()}));
      if (world_->TryToAccept()) return;
    }
    FAIL() << world_->output();
  }
  // On how many hosts there are ranks of it.
  size_t HostsOfRanks() const {
    std::set<std::string> networks;
    for (const pid_t rank : testing::RanksWithConfig(world_->config_path())) {
      std::error_code error;
      networks.insert(
          std::filesystem::read_symlink(absl::StrCat("/proc/", rank, "/ns/net"), error).string());
    }
    return networks.size();
  }

  std::optional<NetworkOfHosts> hosts_;
  std::optional<SmallJobWorld> world_;
};

TEST_F(HostsTest, OfDifferentAddressesGiveTheBitsOfTheThreads) {
  StartAndAccept();
  EXPECT_EQ(HostsOfRanks(), kHosts);
  for (const How& how : {How{}, How{.sampling_rate = 0.3, .max_words = 5}}) {
    ASSERT_OK_AND_ASSIGN(const auto sum, world_->SumByJob(how));
    EXPECT_EQ(Peer::Grid(sum.sum), world_->SumByThreads(how));
  }
}

// Nothing tells of a host that is gone with its cable but that it is silent.
TEST_F(HostsTest, OneThatAnswersNoMoreEndsTheJobAndTheNextOneGivesTheSameBits) {
  StartAndAccept();
  ASSERT_OK_AND_ASSIGN(auto executor, world_->Reserve({}));
  hosts_->Cut(kHosts);
  const mechanism::ReleaseKeys keys = world_->KeysFor({}, kHosts);
  auto summing = std::async(std::launch::async,
                            [&] { return executor.Sum(SmallJobWorld::OrderTo(keys.coins)); });
  EXPECT_NE(world_->mpirun().Wait(), 0);
  hosts_->Mend(kHosts);
  StartAndAccept();
  ASSERT_OK_AND_ASSIGN(const auto sum, summing.get());
  EXPECT_EQ(Peer::Grid(sum.sum), world_->SumByThreads({}));
}

}  // namespace hosts_test
}  // namespace topicwall::cluster
