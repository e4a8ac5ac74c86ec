// Runs `topicwall` as a script would.
#ifndef TOPICWALL_TESTS_CLIENT_PROGRAM_H_
#define TOPICWALL_TESTS_CLIENT_PROGRAM_H_

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace topicwall::client {

struct Finished {
  int exit_code;
  std::string output;  // standard output
  std::string errors;  // standard error
};

// With an empty standard input, and the configuration in `folder`/config.
inline Finished RunProgram(const std::vector<std::string>& arguments, const std::string& folder) {
  const std::string output = folder + "/output";
  const std::string errors = folder + "/errors";
  std::vector<char*> argv = {const_cast<char*>(TOPICWALL_BINARY_DIR "/topicwall")};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    ::setenv("XDG_CONFIG_HOME", (folder + "/config").c_str(), 1);
    ::unsetenv("TOPICWALL_PROFILE");
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .output = testing::ReadWholeFile(output),
          .errors = testing::ReadWholeFile(errors)};
}

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_PROGRAM_H_
