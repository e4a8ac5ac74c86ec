#include "server/supervisor/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::supervisor {
namespace child_process_test {

TEST(FolderOfThisProgramTest, IsWhereTheProgramLies) {
  ASSERT_OK_AND_ASSIGN(const std::filesystem::path folder, FolderOfThisProgram());
  EXPECT_TRUE(std::filesystem::exists(folder / "supervisor_test")) << folder;
}

// As root, it would start what somebody left in the current folder.
TEST(FolderOfThisProgramTest, WithoutProcItIsAnErrorAndNotTheCurrentFolder) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be where there is no /proc";
  const testing::TemporaryDirectory empty;
  EXPECT_EXIT(
      {
        if (chroot(empty.path().c_str()) != 0 || chdir("/") != 0) _exit(2);
        _exit(absl::IsFailedPrecondition(FolderOfThisProgram().status()) ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace child_process_test
}  // namespace topicwall::supervisor
