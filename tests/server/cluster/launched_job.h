// A job of topicwall-worker under the real mpirun, and the door by which it comes, as the
// supervisor has both.
//
//   const JobDoor door(config_path);
//   testing::Background mpirun(RanksCommand({.num_ranks = 2, .config = config_path}), output_path,
//                              RanksEnvironment(folder));
//   job.Connect(door.Accept(mpirun));
#ifndef TOPICWALL_TESTS_SERVER_CLUSTER_LAUNCHED_JOB_H_
#define TOPICWALL_TESTS_SERVER_CLUSTER_LAUNCHED_JOB_H_

#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "server/local_doors.h"
#include "server/wall_config.h"
#include "tests/e2e/process.h"
#include "tests/e2e/wall_world.h"
#include "tests/support/status_matchers.h"

namespace topicwall::cluster {

// Of "notes" with these limits, and those that matter to no job.
inline std::string JobConfig(const std::string& limits, int64_t max_matrix_bytes) {
  return absl::StrCat(R"(
      custodian_id: "c" listen_address: "127.0.0.1:0"
      tls { certificate: "tls/a" private_key: "tls/b" client_ca: "tls/c" }
      data_directory: "data" key_file: "key"
      principals { name: "a" role: ANALYST access { corpus: "notes" } }
      corpora { name: "notes" nominal_size: 3000 timing_protection: TIMING_PROTECTION_NONE
        limits { min_noise_multiplier: 0.1 max_releases: 1000 max_open_plans: 10 queue_length: 4 )",
                      limits, " } } e_step_threads: 1 max_matrix_bytes: ", max_matrix_bytes);
}

struct RanksToStart {
  int num_ranks;
  std::string config;
  std::vector<std::string> mpirun = {"--oversubscribe"};  // options of mpirun's
  std::vector<std::string> options = {};                  // of each rank
};

inline std::vector<std::string> RanksCommand(const RanksToStart& ranks) {
  std::vector<std::string> command = {"/usr/bin/mpirun"};
  command.insert(command.end(), ranks.mpirun.begin(), ranks.mpirun.end());
  command.insert(command.end(),
                 {"-n", std::to_string(ranks.num_ranks),
                  testing::WallWorld::Program("topicwall-worker"), "--config", ranks.config});
  command.insert(command.end(), ranks.options.begin(), ranks.options.end());
  return command;
}

// `folder`: for what mpirun leaves beside. mpirun refuses root unless it is told twice.
inline testing::Environment RanksEnvironment(const std::string& folder) {
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_btl", "self,vader"},  // which options of mpirun's go before
          {"TMPDIR", folder}};
}

// Of the host that mpirun was started on.
inline std::vector<pid_t> RanksOf(const testing::Background& mpirun) {
  std::vector<pid_t> ranks;
  for (const pid_t pid : mpirun.Family()) {
    std::string name;
    std::getline(std::ifstream(absl::StrCat("/proc/", pid, "/comm")), name);
    if (name == "topicwall-worke") ranks.push_back(pid);  // as the kernel cuts it
  }
  return ranks;
}

// Resident memory, of the rank that has taken most so far.
inline int64_t PeakMiBOfARank(const testing::Background& mpirun) {
  int64_t most = 0;
  for (const pid_t rank : RanksOf(mpirun)) {
    std::ifstream status(absl::StrCat("/proc/", rank, "/status"));
    int64_t kibibytes = 0;
    for (std::string word; status >> word;) {
      if (word == "VmHWM:") status >> kibibytes;
    }
    most = std::max(most, kibibytes >> 10);
  }
  return most;
}

class JobDoor {
 public:
  explicit JobDoor(const std::string& config_path) {
    auto config = server::ReadWallConfig(config_path);
    EXPECT_OK(config);
    config_ = *std::move(config);
    auto listener = server::Listen(server::Door::kJob, config_);
    EXPECT_OK(listener);
    listener_.emplace(*std::move(listener));
  }

  // Blocks until rank 0 has connected; not valid if mpirun ends before.
  base::FileDescriptor Accept(testing::Background& mpirun) const {
    pollfd connected = {.fd = listener_->get(), .events = POLLIN, .revents = 0};
    while (poll(&connected, 1, 100) == 0) {
      if (!mpirun.IsRunning()) return base::FileDescriptor(-1);
    }
    return server::Accept(listener_->get(), server::Door::kJob, config_);
  }

 private:
  v1::WallConfig config_;
  std::optional<base::FileDescriptor> listener_;
};

}  // namespace topicwall::cluster

#endif  // TOPICWALL_TESTS_SERVER_CLUSTER_LAUNCHED_JOB_H_
