// Runs the programs of deploy/ as a person would, from a folder of its own.
#ifndef TOPICWALL_TESTS_DEPLOY_SHELL_COMMAND_H_
#define TOPICWALL_TESTS_DEPLOY_SHELL_COMMAND_H_

#include <gtest/gtest.h>

#include <string>

namespace topicwall::deploy {

struct Outcome {
  int exit_code;
  std::string output;  // standard output and standard error together
};

// Runs a line of shell with an empty standard input.
Outcome RunShell(const std::string& line);

// The path of a file in deploy/.
std::string Deployed(const std::string& name);

std::string ReadWhole(const std::string& path);
void WriteWhole(const std::string& path, const std::string& text);

// A test with an empty folder of its own, removed afterwards.
class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

}  // namespace topicwall::deploy

#endif  // TOPICWALL_TESTS_DEPLOY_SHELL_COMMAND_H_
