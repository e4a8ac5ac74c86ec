// Files whose content and name survive a crash, once the call has returned.
//
//   absl::Status status = ReplaceFileDurably("notes.model/checkpoint.pb", bytes);
//
// When a function returns OK, what it did survives a power cut: content is synced, and then the
// folder of its name. What a crash before that leaves is said at each. One writer per path at a
// time.
//
// Errors: the code that fits errno, naming the path and the system's reason, unless said otherwise.
// A folder that cannot be synced is an error that comes last: a rename or a removal is then done,
// and only its durability in doubt.
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
// The bytes go to "<path>.partial" and take the name by rename: whatever fails, and whenever the
// process or the machine dies, the file under `path` is what it was before, or the new one whole.
// After an error it is what it was before, unless it was the folder that could not be synced. A
// left-over ".partial" means nothing, is never read and is overwritten by the next write.
absl::Status ReplaceFileDurably(const std::string& path, absl::string_view bytes,
                                mode_t mode = 0644);

// The same of a path that somebody named for an output, to which several may write at once, the
// last of them to end for good: the bytes go to ".topicwall-<random>.partial" beside it, which
// whoever is killed in between leaves, and which may be removed then. A file that is replaced keeps
// its mode. Of a link its target is replaced, as a shell would, and the link stays.
// INVALID_ARGUMENT for what is no regular file (a pipe, a device, a folder), and nothing is touched
// then.
absl::Status ReplaceOutputDurably(const std::string& path, absl::string_view bytes);

// Makes a file that was not there, mode 0600 whatever the umask: it is there whole or not at all.
// ALREADY_EXISTS if anything has its name (as RenameDurably), also of several who make it at once
// for all but one. The bytes go to "<path>.<random>.partial", as above.
absl::Status WriteNewFileDurably(const std::string& path, absl::string_view bytes);

// The same with the content of another file.
absl::Status CopyFileDurably(const std::string& from, const std::string& to);

enum class IfExists { kRefuse, kReplace };

// Renames within a file system and makes both names durable. With kRefuse ALREADY_EXISTS if
// anything has the new name; also if it got it just now, where the file system can tell
// (RENAME_NOREPLACE).
absl::Status RenameDurably(const std::string& from, const std::string& to, IfExists if_exists);

// Removes `path` if it is there.
absl::Status RemoveFileDurably(const std::string& path);

// The whole file. NOT_FOUND if there is none; INVALID_ARGUMENT for a folder, and beyond
// `max_bytes`, before anything is read: a wrong file name must not fill the memory.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, int64_t max_bytes);

// Makes the names in `folder` durable, those of files created, renamed or removed there, where the
// file system knows of that (EINVAL).
absl::Status SyncFolder(const std::string& folder);
// The same of the folder in which the name `path` stands.
absl::Status SyncFolderOf(const std::string& path);

// Whether there is something at the end of `path`.
bool FileExists(const std::string& path);
// Whether anything has that name, be it a link that leads nowhere.
bool NameIsTaken(const std::string& path);

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_DURABLE_FILE_H_
