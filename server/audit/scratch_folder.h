// A folder for one audit, mode 0700, that goes away with the object.
//
//   TW_ASSIGN_OR_RETURN(ScratchFolder folder, ScratchFolder::Create(""));
//   TW_ASSIGN_OR_RETURN(const std::string data, folder.MakeFolder("data"));
//
// Threads: Path and NewPath from any thread.
#ifndef TOPICWALL_SERVER_AUDIT_SCRATCH_FOLDER_H_
#define TOPICWALL_SERVER_AUDIT_SCRATCH_FOLDER_H_

#include <atomic>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::audit {

class ScratchFolder {
 public:
  // In `parent`, or in the system's folder for temporary files if that is empty. UNAVAILABLE if
  // it cannot be made.
  static absl::StatusOr<std::unique_ptr<ScratchFolder>> Create(absl::string_view parent);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  std::string Path(absl::string_view name) const;
  // A path that was not given before: "name-1", "name-2", …
  std::string NewPath(absl::string_view name);
  // The same for a folder, which is made. UNAVAILABLE if it cannot be.
  absl::StatusOr<std::string> NewFolder(absl::string_view name);

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}

  const std::string path_;
  std::atomic<int> given_ = 0;
};

}  // namespace topicwall::audit

#endif  // TOPICWALL_SERVER_AUDIT_SCRATCH_FOLDER_H_
