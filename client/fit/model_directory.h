// A model on disk: one folder, model.pb when it is finished, checkpoint.pb while it is fitted.
//
//   absl::StatusOr<std::unique_ptr<ModelDirectory>> directory =
//       ModelDirectory::Open("notes.model");
//   (*directory)->WriteCheckpoint(checkpoint);   // durable when it returns
//   (*directory)->Finish(model);                 // model.pb in place, then checkpoint.pb gone
//
// While the object lives the folder is locked against other fits on this machine: two of them
// with one checkpoint would make two request_ids, and pay twice. The lock goes with a folder that
// is moved, and names do not: what would write by the old one is refused, as another fit may have
// it by now. Both files are written whole
// and renamed (durable_file.h), so that at any instant the folder is in one of four states:
//   nothing → checkpoint.pb → model.pb and checkpoint.pb → model.pb
// and the third means the same as the fourth.
//
// Errors: FAILED_PRECONDITION if somebody else holds the lock, or the folder was moved, removed or
// replaced since it was opened; INVALID_ARGUMENT for a file that
// is damaged or of another format version (checkpoint.h, model_file.h); else the system's.
// PUBLIC: released numbers and the analyst's own choices. Threads: one.
#ifndef TOPICWALL_CLIENT_FIT_MODEL_DIRECTORY_H_
#define TOPICWALL_CLIENT_FIT_MODEL_DIRECTORY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_descriptor.h"
#include "proto/model.pb.h"

namespace topicwall::client {

// Of model.pb and of checkpoint.pb: protobuf writes and parses no more.
inline constexpr int64_t kMaxModelBytes = (int64_t{1} << 31) - 1;

std::string ModelPath(const std::string& directory);
std::string CheckpointPath(const std::string& directory);
// Whether a fit is in it, finished or not.
bool HoldsFit(const std::string& directory);

// Reads DIR/model.pb without a lock. NOT_FOUND says whether a fit is under way there.
absl::StatusOr<v1::ModelFile> ReadModel(const std::string& directory);
// DIR/checkpoint.pb, without a lock; nothing if there is none.
absl::StatusOr<std::optional<v1::CheckpointFile>> ReadCheckpoint(const std::string& directory);

// What was asked beside a fit (client/evaluate/paid_plan.h): all DIR/NAME-….pb, in the order of
// their names. None of what is no folder: it holds nothing that was paid for. INTERNAL if one
// cannot be listed.
absl::StatusOr<std::vector<std::string>> FilesBeside(const std::string& directory,
                                                     absl::string_view name);

class ModelDirectory {
 public:
  // Creates the folder (not its parents) if there is none, and takes the lock. A folder that
  // whoever has the lock created goes again with the object if nothing was written there: no litter
  // of refusals.
  static absl::StatusOr<std::unique_ptr<ModelDirectory>> Open(const std::string& path);
  // The same; ALREADY_EXISTS if a fit is in it, finished or not.
  static absl::StatusOr<std::unique_ptr<ModelDirectory>> OpenNew(const std::string& path);
  ~ModelDirectory();
  ModelDirectory(const ModelDirectory&) = delete;
  ModelDirectory& operator=(const ModelDirectory&) = delete;

  const std::string& path() const { return path_; }
  // FAILED_PRECONDITION unless the name still leads to the folder that is locked: for whoever is
  // about to write a file of their own in it.
  absl::Status CheckInPlace() const;

  // Nothing if there is none; an unreadable one is an error and never nothing, because a
  // checkpoint taken for absent would be paid for again.
  absl::StatusOr<std::optional<v1::ModelFile>> FinishedModel() const;
  absl::StatusOr<std::optional<v1::CheckpointFile>> Checkpoint() const;

  absl::Status WriteCheckpoint(const v1::CheckpointFile& checkpoint);
  // After a refusal: nothing was reserved under its request_id.
  absl::Status RemoveCheckpoint();
  absl::Status Finish(const v1::ModelFile& model);

 private:
  ModelDirectory(std::string path, base::FileDescriptor lock, bool created)
      : path_(std::move(path)), lock_(std::move(lock)), created_(created) {}

  // Constant after construction.
  const std::string path_;
  const base::FileDescriptor lock_;  // of the folder
  const bool created_;
};

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_FIT_MODEL_DIRECTORY_H_
