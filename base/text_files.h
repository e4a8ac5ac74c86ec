// The texts of a folder: its files *.txt, and those of all folders below it.
//
//   absl::StatusOr<std::vector<std::string>> names = TextFilesBelow("notes");  // "2024/may/a.txt",
//   …
//
// Paths below the folder, sorted by bytes: the file system's own order changes with a copy. Links
// to folders are not followed. What has such a name and is neither file nor folder, such as a link
// that leads nowhere, is among them: somebody took it for a text, and whoever reads says that it is
// none (and does not open it: a pipe would be waited for).
#ifndef TOPICWALL_BASE_TEXT_FILES_H_
#define TOPICWALL_BASE_TEXT_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace topicwall::base {

// NOT_FOUND or FAILED_PRECONDITION if the folder, or any folder below it, cannot be listed.
absl::StatusOr<std::vector<std::string>> TextFilesBelow(const std::string& folder);

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_TEXT_FILES_H_
