#include "client/durable_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

using ::testing::HasSubstr;
using ::topicwall::testing::StatusIs;

class DurableFileTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  testing::TemporaryDirectory folder_;
};

TEST_F(DurableFileTest, WhatWasWrittenIsReadBackWithZerosAndAll) {
  const std::string bytes("a\0b\n", 4);
  ASSERT_OK(WriteFileDurably(Path("file"), bytes));
  const auto read = ReadWholeFile(Path("file"), 100);
  ASSERT_OK(read);
  EXPECT_EQ(*read, bytes);
  EXPECT_FALSE(FileExists(Path("file.partial")));
}

TEST_F(DurableFileTest, AHalfWrittenFileOfAnEarlierCrashIsNeitherReadNorInTheWay) {
  ASSERT_OK(WriteFileDurably(Path("file"), "first"));
  testing::WriteWholeFile(Path("file.partial"), "half of the sec");
  EXPECT_EQ(*ReadWholeFile(Path("file"), 100), "first");
  ASSERT_OK(WriteFileDurably(Path("file"), "second"));
  EXPECT_EQ(*ReadWholeFile(Path("file"), 100), "second");
  EXPECT_FALSE(FileExists(Path("file.partial")));
}

TEST_F(DurableFileTest, AFailedWriteLeavesTheOldFile) {
  ASSERT_OK(WriteFileDurably(Path("file"), "first"));
  // A folder in the place of the partial file can be neither removed nor written.
  std::filesystem::create_directories(Path("file.partial/full"));
  EXPECT_FALSE(WriteFileDurably(Path("file"), "second").ok());
  EXPECT_EQ(*ReadWholeFile(Path("file"), 100), "first");
}

TEST_F(DurableFileTest, TheModeIsTheOneAskedFor) {
  ASSERT_OK(WriteFileDurably(Path("secret"), "x", 0600));
  struct stat status;
  ASSERT_EQ(::stat(Path("secret").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(DurableFileTest, RemovingTwiceIsNoError) {
  ASSERT_OK(WriteFileDurably(Path("file"), "x"));
  EXPECT_OK(RemoveFileDurably(Path("file")));
  EXPECT_OK(RemoveFileDurably(Path("file")));
  EXPECT_FALSE(FileExists(Path("file")));
}

TEST_F(DurableFileTest, ReadingRefusesWhatIsAbsentAFolderOrTooLarge) {
  EXPECT_THAT(ReadWholeFile(Path("none"), 100), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(ReadWholeFile(folder_.path(), 1 << 20),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("folder")));
  ASSERT_OK(WriteFileDurably(Path("file"), "12345"));
  EXPECT_OK(ReadWholeFile(Path("file"), 5));
  EXPECT_THAT(ReadWholeFile(Path("file"), 4),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most 4")));
  // No size is known beforehand of this one, and it never ends.
  EXPECT_THAT(ReadWholeFile("/dev/zero", 1 << 20), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(DurableFileTest, AMissingFolderIsAnErrorThatNamesThePath) {
  EXPECT_THAT(WriteFileDurably(Path("no/file"), "x"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no/file")));
}

}  // namespace
}  // namespace topicwall::client
