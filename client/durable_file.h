// Files that are whole or absent, whatever happens in between.
//
//   absl::Status status = WriteFileDurably("notes.model/checkpoint.pb", bytes);
//
// The bytes go to "<path>.partial", are synced, and take the name by rename; then the
// folder is synced. When this returns OK the file survives a power cut; when it fails,
// or the process dies at any instant, the file under `path` is what it was before. A
// left-over ".partial" means nothing, is never read and is overwritten by the next write.
//
// One writer per path at a time (ModelDirectory holds a lock for that).
// Errors: INTERNAL or the code that fits errno, naming the path and the system's reason.
#ifndef TOPICWALL_CLIENT_DURABLE_FILE_H_
#define TOPICWALL_CLIENT_DURABLE_FILE_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::client {

// Replaces `path`. `mode` are the permission bits of the new file.
absl::Status WriteFileDurably(const std::string& path, absl::string_view bytes, mode_t mode = 0644);

// Removes `path` if it is there and syncs the folder.
absl::Status RemoveFileDurably(const std::string& path);

// The whole file. NOT_FOUND if there is none; INVALID_ARGUMENT beyond `max_bytes`, before
// anything is read: a wrong file name must not fill the memory.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path, int64_t max_bytes);

// Makes the name `path` itself durable: syncs the folder it stands in.
absl::Status SyncFolderOf(const std::string& path);

bool FileExists(const std::string& path);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_DURABLE_FILE_H_
