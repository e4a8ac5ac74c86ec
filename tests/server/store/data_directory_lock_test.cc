#include "server/store/data_directory_lock.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace topicwall::store {
namespace {

using ::testing::HasSubstr;
using testing::StatusIs;
using testing::TemporaryDirectory;

TEST(DataDirectoryLockTest, OnlyOneHoldsItAtATime) {
  TemporaryDirectory directory;
  {
    ASSERT_OK_AND_ASSIGN(auto lock, DataDirectoryLock::Acquire(directory.path()));
    EXPECT_EQ(lock.directory(), directory.path());
    EXPECT_THAT(DataDirectoryLock::Acquire(directory.path()),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another process")));
    const DataDirectoryLock moved = std::move(lock);
    EXPECT_THAT(DataDirectoryLock::Acquire(directory.path()),
                StatusIs(absl::StatusCode::kFailedPrecondition));
  }
  EXPECT_OK(DataDirectoryLock::Acquire(directory.path()));
}

TEST(DataDirectoryLockTest, AnotherProcessIsKeptOutAndOneThatDiedIsNot) {
  TemporaryDirectory directory;
  int held[2], done[2];
  ASSERT_EQ(pipe(held), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto lock = DataDirectoryLock::Acquire(directory.path());
    const char ok = lock.ok() ? 'y' : 'n';
    char ignored;
    const bool told = write(held[1], &ok, 1) == 1 && read(done[0], &ignored, 1) == 1;
    _exit(told ? 0 : 1);  // without releasing: the kernel does
  }
  char ok = 0;
  ASSERT_EQ(read(held[0], &ok, 1), 1);
  EXPECT_EQ(ok, 'y');
  EXPECT_THAT(DataDirectoryLock::Acquire(directory.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_EQ(write(done[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_OK(DataDirectoryLock::Acquire(directory.path()));
  for (const int end : {held[0], held[1], done[0], done[1]}) close(end);
}

TEST(DataDirectoryLockTest, NothingInTheDirectoryCanBeDeletedToLetASecondWriterIn) {
  TemporaryDirectory directory;
  ASSERT_OK_AND_ASSIGN(const auto lock, DataDirectoryLock::Acquire(directory.path()));
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  EXPECT_THAT(DataDirectoryLock::Acquire(directory.path()),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(DataDirectoryLockTest, AMissingDirectoryIsNamed) {
  TemporaryDirectory directory;
  const std::string missing = directory.path() + "/nowhere";
  EXPECT_THAT(DataDirectoryLock::Acquire(missing),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(missing)));
}

}  // namespace
}  // namespace topicwall::store
