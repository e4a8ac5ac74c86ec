#include "server/corpus/file_stamp.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/server/corpus/later.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::corpus {
namespace {

class FileStampTest : public ::testing::Test {
 protected:
  FileStampTest() : path_(folder_.Write("file", "what it holds")), before_(StampOf(path_)) {
    WaitForALaterTime(folder_, path_);
  }

  testing::TemporaryDirectory folder_;
  const std::string path_;
  const std::optional<FileStamp> before_;
};

TEST_F(FileStampTest, IsTheSameForAsLongAsNobodyWrites) {
  ASSERT_TRUE(before_.has_value());
  EXPECT_EQ(folder_.Content("file"), "what it holds");
  EXPECT_EQ(StampOf(path_), before_);
}

TEST_F(FileStampTest, IsAnotherAfterAWriteThatHidesItself) {
  struct stat status;
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary) << 'W';
  const struct timespec times[2] = {status.st_atim, status.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
  const std::optional<FileStamp> after = StampOf(path_);
  ASSERT_TRUE(after.has_value());
  EXPECT_EQ(after->size, before_->size);
  EXPECT_EQ(after->written_ns, before_->written_ns);
  EXPECT_NE(after, before_);
}

TEST_F(FileStampTest, IsAnotherAfterACutOrAReplacement) {
  std::filesystem::resize_file(path_, 3);
  EXPECT_NE(StampOf(path_), before_);
  folder_.Write("other", "what it holds");
  std::filesystem::rename(folder_.Path("other"), path_);
  EXPECT_NE(StampOf(path_), before_);
}

TEST_F(FileStampTest, IsNothingWhereNothingIs) {
  std::filesystem::remove(path_);
  EXPECT_EQ(StampOf(path_), std::nullopt);
}

}  // namespace
}  // namespace topicwall::corpus
