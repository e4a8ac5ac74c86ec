#ifndef TOPICWALL_TESTS_SUPPORT_RANKS_WITH_CONFIG_H_
#define TOPICWALL_TESTS_SUPPORT_RANKS_WITH_CONFIG_H_

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"

namespace topicwall::testing {

// The processes `topicwall-worker --config PATH` of this machine, whoever started them.
inline std::vector<pid_t> RanksWithConfig(const std::string& path) {
  std::vector<pid_t> ranks;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::ifstream command(process.path() / "cmdline");
    std::string program, option, config;
    std::getline(command, program, '\0');
    std::getline(command, option, '\0');
    std::getline(command, config, '\0');
    if (absl::EndsWith(program, "/topicwall-worker") && config == path) {
      ranks.push_back(std::stoi(process.path().filename().string()));
    }
  }
  return ranks;
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_RANKS_WITH_CONFIG_H_
