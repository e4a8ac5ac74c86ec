#include "client/wall/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/threads/steady_wait.h"

namespace topicwall::client {
namespace {

constexpr absl::Duration kBetweenTries = absl::Milliseconds(10);

}  // namespace

absl::StatusOr<FileLock> FileLock::Take(const std::string& path, absl::Duration patience) {
  // The lock file is never removed: a process that waits for it has it open, and would then hold a
  // file without a name while the next one makes the name anew.
  const std::string name = path + ".lock";
  base::FileDescriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return absl::ErrnoToStatus(errno, absl::StrCat("cannot create ", name));
  // flock and not fcntl, whose locks end as soon as the process closes any descriptor of that file.
  const absl::Duration until = base::SteadyNow() + patience;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      // A file system without locks has none at the next try either.
      return absl::FailedPreconditionError(
          absl::StrCat("cannot lock ", name, ": ", std::strerror(errno)));
    }
    if (base::SteadyNow() >= until) {
      return absl::UnavailableError(absl::StrCat(
          "another process has held ", name, " for ", absl::FormatDuration(patience),
          ": look for one that stands still (fuser ", name, "), end it, and try again"));
    }
    absl::SleepFor(kBetweenTries);
  }
  return FileLock(std::move(file));
}

}  // namespace topicwall::client
