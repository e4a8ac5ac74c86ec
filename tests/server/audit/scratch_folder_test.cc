#include "server/audit/scratch_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::audit {
namespace {

using ::topicwall::testing::StatusIs;

TEST(ScratchFolderTest, IsTheOwnersAloneAndGoesWithEverythingInIt) {
  const testing::TemporaryDirectory parent;
  {
    const auto folder = ScratchFolder::Create(parent.path());
    ASSERT_OK(folder);
    struct stat status;
    ASSERT_EQ(stat((*folder)->Path("").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    const auto inner = (*folder)->NewFolder("wall");
    ASSERT_OK(inner);
    std::ofstream(*inner + "/file") << "text";
    EXPECT_TRUE(std::filesystem::exists(*inner + "/file"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
}

TEST(ScratchFolderTest, GivesNoPathTwice) {
  const testing::TemporaryDirectory parent;
  const auto folder = ScratchFolder::Create(parent.path());
  ASSERT_OK(folder);
  EXPECT_NE((*folder)->NewPath("a"), (*folder)->NewPath("a"));
}

TEST(ScratchFolderTest, SaysWhereItCannotBe) {
  EXPECT_THAT(ScratchFolder::Create("/dev/null"), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace topicwall::audit
