// Runs a program of the build as a script would.
#ifndef TOPICWALL_TESTS_SUPPORT_PROGRAM_H_
#define TOPICWALL_TESTS_SUPPORT_PROGRAM_H_

#include <fcntl.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/support/in_child.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::testing {

struct Finished {
  int exit_code;       // 128 and the signal if one ended it
  std::string output;  // standard output
  std::string errors;  // standard error
};

struct ProgramRun {
  std::string program;  // "topicwall-audit"
  std::vector<std::string> arguments;
  std::string folder;      // where input, output and errors are files
  std::string input = {};  // standard input
  // Before the program is there: its environment, and other streams than those files.
  std::function<void()> in_child = [] {};
};

inline Finished Run(const ProgramRun& run) {
  const std::string program = std::string(TOPICWALL_BINARY_DIR "/") + run.program;
  const std::string input = run.folder + "/input";
  const std::string output = run.folder + "/output";
  const std::string errors = run.folder + "/errors";
  WriteWholeFile(input, run.input);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : run.arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const int exit_code = InChild([&] {
    ::dup2(::open(input.c_str(), O_RDONLY), STDIN_FILENO);
    ::dup2(::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    run.in_child();
    return ::execv(argv[0], argv.data()) == 0 ? 0 : 127;
  });
  return {.exit_code = exit_code, .output = ReadWholeFile(output), .errors = ReadWholeFile(errors)};
}

}  // namespace topicwall::testing

#endif  // TOPICWALL_TESTS_SUPPORT_PROGRAM_H_
