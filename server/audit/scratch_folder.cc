#include "server/audit/scratch_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace topicwall::audit {

absl::StatusOr<std::unique_ptr<ScratchFolder>> ScratchFolder::Create(absl::string_view parent) {
  std::error_code error;
  std::string folder(parent);
  if (folder.empty()) folder = std::filesystem::temp_directory_path(error).string();
  std::string pattern = absl::StrCat(folder, "/topicwall-audit-XXXXXX");
  if (error || mkdtemp(pattern.data()) == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("scratch_directory must be a folder that can be written to; got ", folder,
                     ". Name another one."));
  }
  return std::unique_ptr<ScratchFolder>(new ScratchFolder(std::move(pattern)));
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

std::string ScratchFolder::Path(absl::string_view name) const {
  return absl::StrCat(path_, "/", name);
}

std::string ScratchFolder::NewPath(absl::string_view name) {
  return Path(absl::StrCat(name, "-", ++given_));
}

absl::StatusOr<std::string> ScratchFolder::NewFolder(absl::string_view name) {
  const std::string path = NewPath(name);
  std::error_code error;
  std::filesystem::create_directory(path, error);
  if (error) return absl::UnavailableError(absl::StrCat("cannot make the folder ", path));
  return path;
}

}  // namespace topicwall::audit
