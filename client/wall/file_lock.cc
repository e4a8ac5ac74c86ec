#include "client/wall/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace topicwall::client {

absl::StatusOr<FileLock> FileLock::Take(const std::string& path) {
  // The lock file is never removed: a process that waits for it has it open, and would then hold a
  // file without a name while the next one makes the name anew.
  const std::string name = path + ".lock";
  base::FileDescriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot create ", name));
  // flock and not fcntl, whose locks end as soon as the process closes any descriptor of that file.
  while (::flock(file.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return absl::ErrnoToStatus(errno, absl::StrCat("cannot lock ", name));
  }
  return FileLock(std::move(file));
}

}  // namespace topicwall::client
