#include "server/store/data_directory_lock.h"

#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "tests/support/status_matchers.h"
#include "tests/support/temporary_directory.h"

namespace {
int flock_errno = 0;  // what flock fails with, if anything
}  // namespace

// In the place of libc's, in this program.
extern "C" int flock(int file, int operation) noexcept {
  if (flock_errno == 0) return static_cast<int>(syscall(SYS_flock, file, operation));
  errno = flock_errno;
  return -1;
}

namespace topicwall::store {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
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

TEST(DataDirectoryLockTest, AFileSystemWithoutLocksIsNoOtherProcess) {
  TemporaryDirectory directory;
  flock_errno = ENOLCK;
  const absl::Status failed = DataDirectoryLock::Acquire(directory.path()).status();
  flock_errno = 0;
  EXPECT_THAT(failed, StatusIs(absl::StatusCode::kUnavailable,
                               AllOf(HasSubstr(directory.path()), HasSubstr("No locks available"),
                                     Not(HasSubstr("another process")))));
}

TEST(DataDirectoryLockTest, AMissingDirectoryIsNamed) {
  TemporaryDirectory directory;
  const std::string missing = directory.path() + "/nowhere";
  EXPECT_THAT(DataDirectoryLock::Acquire(missing),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(missing)));
}

}  // namespace
}  // namespace topicwall::store
