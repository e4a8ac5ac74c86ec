// Files that are there whole after a crash, or not at all.
//
// Errors: UNAVAILABLE with the path and the operating system's words, unless said otherwise.
// Threads: free functions without state.
#ifndef TOPICWALL_SERVER_ADMIN_DURABLE_FILE_H_
#define TOPICWALL_SERVER_ADMIN_DURABLE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace topicwall::admin {

// Writes a new file, mode 0600, and makes its content durable. ALREADY_EXISTS if anything
// has its name. After another error the name is unused.
absl::Status WriteDurably(const std::string& path, absl::string_view content);

// The same with the content of another file. NOT_FOUND if that cannot be read.
absl::Status CopyDurably(const std::string& from, const std::string& to);

// Renames within a file system, replacing a file of that name, and makes both names durable.
absl::Status RenameDurably(const std::string& from, const std::string& to);

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_DURABLE_FILE_H_
