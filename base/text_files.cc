#include "base/text_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace topicwall::base {
namespace {

namespace fs = std::filesystem;

absl::Status CannotList(const std::string& folder, const std::error_code& error) {
  const std::string message = absl::StrCat("cannot list folder ", folder, ": ", error.message());
  return error == std::errc::no_such_file_or_directory ? absl::NotFoundError(message)
                                                       : absl::FailedPreconditionError(message);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> TextFilesBelow(const std::string& folder) {
  const fs::path root(folder);
  std::error_code error;
  // Links to folders are not followed: no circle of them keeps this going.
  fs::recursive_directory_iterator entry(root, error);
  if (error) return CannotList(folder, error);
  std::vector<std::string> names;
  while (entry != fs::recursive_directory_iterator()) {
    std::error_code unused;
    if (entry->path().extension() == ".txt" && !fs::is_directory(entry->symlink_status(unused))) {
      names.push_back(entry->path().lexically_relative(root).generic_string());
    }
    entry.increment(error);
    if (error) return CannotList(folder, error);
  }
  // A folder lists its files in no order that would be the same elsewhere.
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace topicwall::base
