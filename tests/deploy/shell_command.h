// Runs the programs of deploy/ as a person would, from a folder of its own.
#ifndef TOPICWALL_TESTS_DEPLOY_SHELL_COMMAND_H_
#define TOPICWALL_TESTS_DEPLOY_SHELL_COMMAND_H_

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_directory.h"

namespace topicwall::deploy {

using testing::ReadWholeFile;
using testing::WriteWholeFile;

struct Outcome {
  int exit_code;
  std::string output;  // standard output and standard error together
};

// Runs a line of shell with an empty standard input.
Outcome RunShell(const std::string& line);

// The path of a file in deploy/.
std::string Deployed(const std::string& name);

// A test with an empty folder of its own.
class FolderTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }

 private:
  const testing::TemporaryDirectory folder_;
};

}  // namespace topicwall::deploy

#endif  // TOPICWALL_TESTS_DEPLOY_SHELL_COMMAND_H_
