#include "server/ledger/data_directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace topicwall::ledger {

DataDirectoryLock::DataDirectoryLock(std::string directory, int descriptor)
    : directory_(std::move(directory)), descriptor_(descriptor) {}

DataDirectoryLock::DataDirectoryLock(DataDirectoryLock&& other) noexcept
    : directory_(std::move(other.directory_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

DataDirectoryLock& DataDirectoryLock::operator=(DataDirectoryLock&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

DataDirectoryLock::~DataDirectoryLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::StatusOr<DataDirectoryLock> DataDirectoryLock::Acquire(absl::string_view directory) {
  const std::string path(directory);
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 || access(path.c_str(), W_OK | X_OK) != 0) {
    if (descriptor >= 0) close(descriptor);
    return absl::NotFoundError(absl::StrCat("cannot write in the data directory ", directory,
                                            ": check that it exists and who owns it."));
  }
  DataDirectoryLock lock{path, descriptor};
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("another process holds the data directory ", directory,
                     ": stop the server (or wait for the other command), then try again."));
  }
  return lock;
}

}  // namespace topicwall::ledger
