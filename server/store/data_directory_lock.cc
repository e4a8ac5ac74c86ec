#include "server/store/data_directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace topicwall::store {
namespace {

constexpr int kLooks = 20;
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(50);

}  // namespace

absl::StatusOr<DataDirectoryLock> DataDirectoryLock::Acquire(absl::string_view directory) {
  // A directory can only be opened for reading, and flock asks for no more; whether it may be
  // written in is asked apart.
  const std::string path(directory);
  base::FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || access(path.c_str(), W_OK | X_OK) != 0) {
    return absl::NotFoundError(
        absl::StrCat("cannot write in the data directory ", directory,
                     ": check that it exists, that its disk is mounted to be "
                     "written on, and who owns it."));
  }
  // A process that was killed may take a moment to end.
  for (int looks = 1; flock(folder.get(), LOCK_EX | LOCK_NB) != 0; ++looks) {
    if (errno != EWOULDBLOCK) {
      return absl::ErrnoToStatus(
          errno, absl::StrCat("cannot lock the data directory ", directory,
                              " (flock): it has to be on a file system that has locks"));
    }
    if (looks < kLooks) {
      absl::SleepFor(kBetweenLooks);
      continue;
    }
    return absl::FailedPreconditionError(
        absl::StrCat("another process holds the data directory ", directory,
                     ": stop the server (or wait for the other command), then try again."));
  }
  return DataDirectoryLock(path, std::move(folder));
}

base::FileDescriptor KeepWritersOut(absl::string_view directory) {
  base::FileDescriptor folder(
      open(std::string(directory).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || flock(folder.get(), LOCK_SH | LOCK_NB) != 0) {
    return base::FileDescriptor(-1);
  }
  return folder;
}

}  // namespace topicwall::store
