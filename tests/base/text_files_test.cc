#include "base/text_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::base {
namespace text_files_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

// By bytes of the path, whatever order they were made in.
TEST(TextFilesTest, AreThoseOfAllFoldersBelowInTheOrderOfTheirPaths) {
  const testing::TemporaryDirectory folder;
  for (const char* name : {"b.txt", "a/z.txt", "a.txt", "a/note", "B.txt", "c.text"}) {
    folder.Write(name, "");
  }
  std::filesystem::create_directory_symlink(folder.path(), folder.Path("again"));
  ASSERT_OK_AND_ASSIGN(const auto names, TextFilesBelow(folder.path()));
  EXPECT_THAT(names, ElementsAre("B.txt", "a.txt", "a/z.txt", "b.txt"));
}

TEST(TextFilesTest, WhatSomebodyTookForATextIsAmongThem) {
  const testing::TemporaryDirectory folder;
  std::filesystem::create_symlink("nowhere", folder.Path("gone.txt"));
  std::filesystem::create_symlink("loop.txt", folder.Path("loop.txt"));
  std::filesystem::create_directory_symlink(folder.path(), folder.Path("folder.txt"));
  ASSERT_EQ(mkfifo(folder.Path("pipe.txt").c_str(), 0600), 0);
  std::filesystem::create_directory(folder.Path("real.txt"));
  ASSERT_OK_AND_ASSIGN(const auto names, TextFilesBelow(folder.path()));
  EXPECT_THAT(names, ElementsAre("folder.txt", "gone.txt", "loop.txt", "pipe.txt"));
}

TEST(TextFilesTest, WhatCannotBeListedIsNamed) {
  EXPECT_THAT(TextFilesBelow("/nowhere"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere")));
  const testing::TemporaryDirectory folder;
  const std::string file = folder.Write("a.txt", "");
  EXPECT_THAT(TextFilesBelow(file),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(file)));
}

}  // namespace text_files_test
}  // namespace topicwall::base
