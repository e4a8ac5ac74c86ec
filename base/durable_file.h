// Files that are there whole after a crash, or as they were before.
//
//   absl::Status status = ReplaceFileDurably("notes.model/checkpoint.pb", bytes);
//
// When a function returns OK, what it did survives a power cut: content is synced before its name
// is made or moved, and the folder after it. One writer per path at a time.
//
// Errors: the code that fits errno, naming the path and the system's reason, unless said otherwise.
// Threads: free functions without state.
#ifndef TOPICWALL_BASE_DURABLE_FILE_H_
#define TOPICWALL_BASE_DURABLE_FILE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::base {

// Replaces `path`, or makes it. `mode` are the permission bits, of which the umask may take away.
// The bytes go to "<path>.partial" and take the name by rename: when this fails, or the process
// dies at any instant, the file under `path` is what it was before. A left-over ".partial" means
// nothing, is never read and is overwritten by the next write.
absl::Status ReplaceFileDurably(const std::string& path, absl::string_view bytes,
                                mode_t mode = 0644);

// Makes a file that was not there, mode 0600 whatever the umask. ALREADY_EXISTS if anything has
// its name. After another error the name is unused.
absl::Status WriteNewFileDurably(const std::string& path, absl::string_view bytes);

// The same with the content of another file.
absl::Status CopyFileDurably(const std::string& from, const std::string& to);

enum class IfExists { kRefuse, kReplace };

// Renames within a file system and makes both names durable. With kRefuse ALREADY_EXISTS if
// anything has the new name, also if it got it just now.
absl::Status RenameDurably(const std::string& from, const std::string& to, IfExists if_exists);

// Removes `path` if it is there.
absl::Status RemoveFileDurably(const std::string& path);

// The whole file. NOT_FOUND if there is none; INVALID_ARGUMENT for a folder, and beyond
// `max_bytes`, before anything is read: a wrong file name must not fill the memory.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, int64_t max_bytes);

// Makes the names in `folder` durable, those of files created, renamed or removed there.
absl::Status SyncFolder(const std::string& folder);
// The same of the folder in which the name `path` stands.
absl::Status SyncFolderOf(const std::string& path);

// Whether there is something at the end of `path`.
bool FileExists(const std::string& path);
// Whether anything has that name, be it a link that leads nowhere.
bool NameIsTaken(const std::string& path);

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_DURABLE_FILE_H_
