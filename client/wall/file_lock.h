// A lock between processes that read and replace the same file.
//
//   absl::StatusOr<FileLock> lock = FileLock::Take("notes.events");
//   … ReadWholeFile, base::ReplaceFileDurably …
//
// Held from Take until the object goes, or the process dies. Files that are replaced by rename
// cannot be locked themselves, so the lock is a file of its own beside them, "<path>.lock", empty,
// which stays. Take waits; hold it for as long as a file takes to read and write, and no longer.
// Errors: UNAVAILABLE if another process does not let go of it (one that was stopped);
// FAILED_PRECONDITION where there are no locks; the system's, naming the file. Threads: one, and one lock of a path per process.
#ifndef TOPICWALL_CLIENT_WALL_FILE_LOCK_H_
#define TOPICWALL_CLIENT_WALL_FILE_LOCK_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/file_descriptor.h"

namespace topicwall::client {

class FileLock {
 public:
  static constexpr absl::Duration kPatience = absl::Seconds(10);

  static absl::StatusOr<FileLock> Take(const std::string& path,
                                       absl::Duration patience = kPatience);

 private:
  explicit FileLock(base::FileDescriptor file) : file_(std::move(file)) {}

  base::FileDescriptor file_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_FILE_LOCK_H_
