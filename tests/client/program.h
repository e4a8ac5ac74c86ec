// Runs `topicwall` as a script would, in a folder in which there are models.
#ifndef TOPICWALL_TESTS_CLIENT_PROGRAM_H_
#define TOPICWALL_TESTS_CLIENT_PROGRAM_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "client/fit/model_directory.h"
#include "proto/model.pb.h"
#include "tests/support/program.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {

using testing::Finished;

class ProgramFrame : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }

  // With an empty standard input, and the configuration in the folder's config/.
  Finished Run(const std::vector<std::string>& arguments) const {
    return testing::Run({.program = "topicwall",
                         .arguments = arguments,
                         .folder = folder_.path(),
                         .in_child = [this] {
                           ::setenv("XDG_CONFIG_HOME", Path("config").c_str(), 1);
                           ::unsetenv("TOPICWALL_PROFILE");
                         }});
  }

  void WriteFolder(const std::string& name, const v1::ModelFile& model) const {
    ASSERT_OK_AND_ASSIGN(auto directory, ModelDirectory::Open(Path(name)));
    ASSERT_OK(directory->Finish(model));
  }

  testing::TemporaryDirectory folder_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_TESTS_CLIENT_PROGRAM_H_
