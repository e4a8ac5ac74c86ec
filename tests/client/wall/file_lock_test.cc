#include "client/wall/file_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::client {
namespace {

// Each process reads a number, adds one and writes it back: without the lock some would be lost.
TEST(FileLockTest, OneProcessAtATimeReadsAndReplaces) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/number";
  testing::WriteWholeFile(path, "0");
  constexpr int kProcesses = 8;
  constexpr int kTimes = 50;
  for (int i = 0; i < kProcesses; ++i) {
    if (fork() != 0) continue;
    for (int j = 0; j < kTimes; ++j) {
      const auto lock = FileLock::Take(path);
      if (!lock.ok()) ::_exit(1);
      testing::WriteWholeFile(path, std::to_string(std::stoi(testing::ReadWholeFile(path)) + 1));
    }
    ::_exit(0);
  }
  for (int i = 0; i < kProcesses; ++i) {
    int status = 1;
    ::wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(testing::ReadWholeFile(path), std::to_string(kProcesses * kTimes));
}

TEST(FileLockTest, WhoNeverLetsGoIsUnavailableAndTheLockIsNamed) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder.path() + "/heads";
  ASSERT_OK_AND_ASSIGN(const auto held, FileLock::Take(path));
  EXPECT_THAT(
      FileLock::Take(path, absl::ZeroDuration()),
      testing::StatusIs(absl::StatusCode::kUnavailable, ::testing::HasSubstr(path + ".lock")));
}

TEST(FileLockTest, AFolderThatIsNotThereIsNamed) {
  EXPECT_THAT(FileLock::Take("/nonexistent/number"),
              testing::StatusIs(absl::StatusCode::kNotFound,
                                ::testing::HasSubstr("/nonexistent/number.lock")));
}

}  // namespace
}  // namespace topicwall::client
