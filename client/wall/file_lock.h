// A lock between processes that read and replace the same file.
//
//   absl::StatusOr<FileLock> lock = FileLock::Take("notes.events");
//   … ReadWholeFile, WriteFileDurably …
//
// Held from Take until the object goes, or the process dies. Files that are replaced by rename
// cannot be locked themselves, so the lock is a file of its own beside them, "<path>.lock", empty,
// which stays. Take waits; hold it for as long as a file takes to read and write, and no longer.
// Errors: the system's, naming the file. Threads: one, and one lock of a path per process.
#ifndef TOPICWALL_CLIENT_WALL_FILE_LOCK_H_
#define TOPICWALL_CLIENT_WALL_FILE_LOCK_H_

#include <string>

#include "absl/status/statusor.h"

namespace topicwall::client {

class FileLock {
 public:
  static absl::StatusOr<FileLock> Take(const std::string& path);
  ~FileLock();
  FileLock(FileLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FileLock& operator=(FileLock&&) = delete;

 private:
  explicit FileLock(int fd) : fd_(fd) {}

  int fd_;  // -1: moved away
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_FILE_LOCK_H_
