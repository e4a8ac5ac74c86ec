// Runs `topicwall` as a script would.
#ifndef TOPICWALL_TESTS_CLIENT_PROGRAM_H_
#define TOPICWALL_TESTS_CLIENT_PROGRAM_H_

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace topicwall::client {

using testing::Finished;

// With an empty standard input, and the configuration in `folder`/config.
inline Finished RunProgram(const std::vector<std::string>& arguments, const std::string& folder) {
  return testing::Run(
      {.program = "topicwall", .arguments = arguments, .folder = folder, .in_child = [&folder] {
         ::setenv("XDG_CONFIG_HOME", (folder + "/config").c_str(), 1);
         ::unsetenv("TOPICWALL_PROFILE");
       }});
}

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_PROGRAM_H_
