// A file that was opened before is not held to any path: what was inherited for writing can only be
// written to, behind what is there. That is the event log, which all processes of the server have
// as one open file, and standard output and error where these are files: whoever takes over one
// process must not be able to erase what the log says of it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "server/sandbox/filter.h"

namespace topicwall::sandbox {
namespace {

std::vector<int> FilesOpenForWriting() {
  std::vector<int> files;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", none)) {
    const int descriptor = std::atoi(entry.path().filename().c_str());
    struct stat status {};
    const int flags = fcntl(descriptor, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(descriptor, &status) == 0 &&
        S_ISREG(status.st_mode)) {
      files.push_back(descriptor);
    }
  }
  return files;
}

}  // namespace

// By its number, and so no second number either. ioctl: fallocate(2) by another name, and whatever
// a file system has. pwritev2 may leave O_APPEND out of account (RWF_NOAPPEND).
absl::Status FilterInheritedFiles() {
  TW_ASSIGN_OR_RETURN(Filter filter, Filter::Create(kAllowed));
  for (const int file : FilesOpenForWriting()) {
    filter.Add(kRefused,
               {"ftruncate", "fallocate", "ioctl", "lseek", "pwrite64", "pwritev", "pwritev2",
                "dup", "dup2", "dup3"},
               {IsInt(0, file)});
    for (const int command : {F_SETFL, F_DUPFD, F_DUPFD_CLOEXEC}) {
      filter.Add(kRefused, {"fcntl"}, {IsInt(0, file), IsInt(1, command)});
    }
    filter.Add(kRefused, {"copy_file_range", "splice"}, {IsInt(2, file)});
    filter.Add(kRefused, {"mmap"}, {IsInt(4, file)});
  }
  return std::move(filter).Load();
}

}  // namespace topicwall::sandbox
