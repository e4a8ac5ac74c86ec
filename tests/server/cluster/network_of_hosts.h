// Hosts of different addresses on one machine: network namespaces on a bridge.
//
//   const std::string why_not = NetworkOfHosts::WhyNot();       // empty: it can be had
//   NetworkOfHosts hosts(3);                                    // 10.77.0.1, .2, .3
//   testing::Background({"/usr/bin/mpirun", …hosts.MpirunOptions()…}, …);
//   hosts.Cut(3);                                               // as a cable that is pulled
//
// The calling thread, with all that it starts meanwhile, is on the first of them: nobody else of
// this machine sees anything of it, nor do two at once of each other. They are gone with the
// object, or with the process.
#ifndef TOPICWALL_TESTS_SERVER_CLUSTER_NETWORK_OF_HOSTS_H_
#define TOPICWALL_TESTS_SERVER_CLUSTER_NETWORK_OF_HOSTS_H_

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "tests/e2e/process.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::cluster {

class NetworkOfHosts {
 public:
  // In a process of its own, which changes nothing here.
  static std::string WhyNot() {
    for (const char* program : {"/bin/ip", "/usr/bin/nsenter", "/usr/bin/unshare"}) {
      if (!std::filesystem::exists(program)) return absl::StrCat("there is no ", program);
    }
    const testing::Finished tried =
        testing::RunToEnd({"/usr/bin/unshare", "--net", "--uts", "/bin/ip", "link", "add",
                           "topicwall0", "type", "bridge"});
    return tried.exit_code == 0 ? "" : tried.output;
  }

  explicit NetworkOfHosts(int num_hosts) {
    EXPECT_EQ(unshare(CLONE_NEWNET), 0) << std::strerror(errno);
    Ip({"link", "set", "lo", "up"});
    Ip({"link", "add", "hosts", "type", "bridge"});
    Ip({"address", "add", Address(1) + "/24", "dev", "hosts"});
    Ip({"link", "set", "hosts", "up"});
    for (int host = 2; host <= num_hosts; ++host) Add(host);
    std::ofstream list(folder_.path() + "/hosts");
    for (int host = 1; host <= num_hosts; ++host) list << Address(host) << " slots=1\n";
    std::ofstream(Agent()) << "#!/bin/sh\nhost=$1\nshift\nexec /usr/bin/nsenter -t $(cat "
                           << folder_.path() << "/$host) --net --uts /bin/sh -c \"$*\"\n";
    std::filesystem::permissions(Agent(), std::filesystem::perms::owner_all);
  }
  ~NetworkOfHosts() {
    hosts_.clear();
    EXPECT_EQ(setns(before_.get(), CLONE_NEWNET), 0) << std::strerror(errno);
  }
  NetworkOfHosts(const NetworkOfHosts&) = delete;
  NetworkOfHosts& operator=(const NetworkOfHosts&) = delete;

  // A rank on each, which speak with each other over this network alone.
  std::vector<std::string> MpirunOptions() const {
    return {"--hostfile", folder_.path() + "/hosts", "--map-by", "ppr:1:node", "--bind-to", "none",
            // As ssh would.
            "--mca", "plm_rsh_agent", Agent(), "--mca", "btl", "self,tcp", "--mca",
            "btl_tcp_if_include", "10.77.0.0/24", "--mca", "oob_tcp_if_include", "10.77.0.0/24",
            // A host that is cut off is missed after some seconds.
            "--mca", "oob_tcp_keepalive_time", "2", "--mca", "oob_tcp_keepalive_intvl", "1",
            "--mca", "oob_tcp_keepalive_probes", "2"};
  }
  // From 2 on.
  void Cut(int host) const { Ip({"link", "set", Link(host), "down"}); }
  void Mend(int host) const { Ip({"link", "set", Link(host), "up"}); }

 private:
  static std::string Address(int host) { return absl::StrCat("10.77.0.", host); }
  static std::string Link(int host) { return absl::StrCat("host", host); }
  std::string Agent() const { return folder_.path() + "/agent"; }

  static void Ip(std::vector<std::string> command) {
    command.insert(command.begin(), "/bin/ip");
    const testing::Finished done = testing::RunToEnd(command);
    EXPECT_EQ(done.exit_code, 0) << done.output;
  }

  // Its namespaces live as long as a process that sleeps in them.
  void Add(int host) {
    hosts_.push_back(std::make_unique<testing::Background>(
        std::vector<std::string>{"/usr/bin/unshare", "--net", "--uts", "/bin/sh", "-c",
                                 absl::StrCat("hostname ", Link(host), "; exec sleep infinity")},
        folder_.path() + "/output"));
    const std::string pid = std::to_string(hosts_.back()->pid());
    for (std::string name; name != "sleep";) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::getline(std::ifstream("/proc/" + pid + "/comm"), name);
      ASSERT_TRUE(hosts_.back()->IsRunning());
    }
    Ip({"link", "add", Link(host), "type", "veth", "peer", "name", "eth0", "netns", pid});
    Ip({"link", "set", Link(host), "master", "hosts", "up"});
    const testing::Finished up =
        testing::RunToEnd({"/usr/bin/nsenter", "-t", pid, "--net", "/bin/sh", "-c",
                           absl::StrCat("ip link set lo up && ip address add ", Address(host),
                                        "/24 dev eth0 && ip link set eth0 up")});
    EXPECT_EQ(up.exit_code, 0) << up.output;
    std::ofstream(absl::StrCat(folder_.path(), "/", Address(host))) << pid;
  }

  const testing::TemporaryDirectory folder_;
  const base::FileDescriptor before_{open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)};
  std::vector<std::unique_ptr<testing::Background>> hosts_;  // but the first
};

}  // namespace topicwall::cluster

#endif  // TOPICWALL_TESTS_SERVER_CLUSTER_NETWORK_OF_HOSTS_H_
