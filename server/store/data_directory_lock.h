// The right to write in a data directory. Whoever holds the object is the only writer:
// the server while it runs, or one writing command of topicwall-admin.
//
//   TW_ASSIGN_OR_RETURN(DataDirectoryLock lock, DataDirectoryLock::Acquire(directory));
//   TW_ASSIGN_OR_RETURN(auto ledger, FoldedLedger::Open(std::move(lock), std::move(keys)));
//
// Functions that write take the lock as an argument, so that writing without it does not
// compile. Reading (status, verify-ledger, backup) needs none, where there is room for what
// SQLite shares between readers and writers.
//
// An exclusive flock(2) on the directory itself, not on a file in it that somebody could delete
// to let a second writer in. It goes away with the process, however that ends. A directory that
// is moved away takes its lock along: whoever writes notices that by itself
// (ledger_files.h). Not for network file systems whose flock is not shared between machines.
#ifndef TOPICWALL_SERVER_STORE_DATA_DIRECTORY_LOCK_H_
#define TOPICWALL_SERVER_STORE_DATA_DIRECTORY_LOCK_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_descriptor.h"

namespace topicwall::store {

class DataDirectoryLock {
 public:
  // FAILED_PRECONDITION if another process (or another lock of this one) holds it for longer than
  // about a second, as one that is being killed does not; NOT_FOUND if the directory cannot be
  // opened for writing; what fits errno if it cannot be locked for another reason.
  static absl::StatusOr<DataDirectoryLock> Acquire(absl::string_view directory);

  const std::string& directory() const { return directory_; }

 private:
  DataDirectoryLock(std::string directory, base::FileDescriptor folder)
      : directory_(std::move(directory)), folder_(std::move(folder)) {}

  std::string directory_;
  base::FileDescriptor folder_;
};

// As long as it is open, nobody has or gets the lock of the directory: what lies there does not
// change. For who reads where nothing can be written; several may. Not valid if somebody has the
// lock, be it this process, or if it cannot be asked.
base::FileDescriptor KeepWritersOut(absl::string_view directory);

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_DATA_DIRECTORY_LOCK_H_
