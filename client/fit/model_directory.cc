// The folder is what is locked, and not a file in it: files are replaced by rename, and a lock on
// one would stay with the old content. The lock ends with the process, so a fit that was killed
// does not stand in the way of the one that resumes it.
#include "client/fit/model_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/durable_file.h"
#include "base/status_macros.h"
#include "client/fit/checkpoint.h"
#include "client/fit/model_file.h"

namespace topicwall::client {
namespace {

absl::Status Serialize(const google::protobuf::MessageLite& message, const std::string& path,
                       std::string* bytes) {
  if (message.ByteSizeLong() > static_cast<size_t>(kMaxModelBytes) ||
      !message.SerializeToString(bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " would be larger than 2 GiB. Use fewer topics."));
  }
  return absl::OkStatus();
}

absl::Status AtWork(const std::string& path) {
  return absl::FailedPreconditionError(absl::StrCat(
      path, " is in use: another command is at work there. Wait for it, or take another folder."));
}

// Whether the folder that is open is the one that has this name. One that was moved or removed
// after it was opened can be locked as well, and keeps nobody out of the next of its name.
bool IsAt(const std::string& path, const base::FileDescriptor& folder) {
  struct stat opened, named;
  return ::fstat(folder.get(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace

std::string ModelPath(const std::string& directory) { return directory + "/model.pb"; }
std::string CheckpointPath(const std::string& directory) { return directory + "/checkpoint.pb"; }

bool HoldsFit(const std::string& directory) {
  return base::FileExists(CheckpointPath(directory)) || base::FileExists(ModelPath(directory));
}

absl::StatusOr<v1::ModelFile> ReadModel(const std::string& directory) {
  const std::string path = ModelPath(directory);
  absl::StatusOr<std::string> bytes = base::ReadWholeFile(path, kMaxModelBytes);
  if (absl::IsNotFound(bytes.status())) {
    return absl::NotFoundError(
        base::FileExists(CheckpointPath(directory))
            ? absl::StrCat(directory,
                           " holds a fit that is not finished. Run its `topicwall fit` again.")
            : absl::StrCat(directory, " holds no model: there is no ", path, "."));
  }
  TW_RETURN_IF_ERROR(bytes.status());
  return ParseModelFile(*bytes, path);
}

absl::StatusOr<std::unique_ptr<ModelDirectory>> ModelDirectory::Open(const std::string& path) {
  // More than once only if whoever made the folder removes it between two steps below.
  constexpr int kTries = 100;
  for (int tries = 0; tries < kTries; ++tries) {
    // Tried rather than looked for: of two processes that begin at once only one has made it.
    const bool created = ::mkdir(path.c_str(), 0755) == 0;
    if (created) {
      TW_RETURN_IF_ERROR(base::SyncFolderOf(path));  // or a power cut takes the checkpoint with it
    } else if (errno != EEXIST) {
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot create the model folder ", path));
    }
    base::FileDescriptor lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!lock.valid()) {
      if (errno == ENOENT) continue;
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot open the folder ", path));
    }
    // Without waiting: a fit may take days.
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return AtWork(path);
      return absl::ErrnoToStatus(errno, absl::StrCat("cannot lock ", path));
    }
    if (!IsAt(path, lock)) continue;
    // Only who holds the lock has an object, and so only they remove the folder.
    return std::unique_ptr<ModelDirectory>(new ModelDirectory(path, std::move(lock), created));
  }
  return absl::NotFoundError(absl::StrCat("cannot open the folder ", path,
                                          ": it goes as soon as it is made, or is a link that "
                                          "leads nowhere. Take another folder."));
}

absl::StatusOr<std::unique_ptr<ModelDirectory>> ModelDirectory::OpenNew(const std::string& path) {
  TW_ASSIGN_OR_RETURN(std::unique_ptr<ModelDirectory> directory, Open(path));
  if (HoldsFit(path)) {
    return absl::AlreadyExistsError(
        absl::StrCat(path, " holds a fit already. Choose another folder."));
  }
  return directory;
}

ModelDirectory::~ModelDirectory() {
  // Fails, as it should, if anything was written.
  if (created_ && IsAt(path_, lock_)) ::rmdir(path_.c_str());
}

absl::Status ModelDirectory::CheckInPlace() const {
  if (IsAt(path_, lock_)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the folder ", path_,
      " was moved, removed or replaced while this was at work in it: nothing more is written "
      "there. What was reserved and paid is kept in the folder that was moved. Move it back, or "
      "name it where it is now, and run the same command again: it goes on, and pays nothing "
      "twice."));
}

absl::StatusOr<std::optional<v1::ModelFile>> ModelDirectory::FinishedModel() const {
  if (!base::FileExists(ModelPath(path_))) return std::optional<v1::ModelFile>();
  TW_ASSIGN_OR_RETURN(v1::ModelFile model, ReadModel(path_));
  return std::optional<v1::ModelFile>(std::move(model));
}

absl::StatusOr<std::optional<v1::CheckpointFile>> ReadCheckpoint(const std::string& directory) {
  const std::string path = CheckpointPath(directory);
  absl::StatusOr<std::string> bytes = base::ReadWholeFile(path, kMaxModelBytes);
  // Only then is there none. Any other failure to read it must stop the fit: it would be paid for
  // again.
  if (absl::IsNotFound(bytes.status())) return std::optional<v1::CheckpointFile>();
  TW_RETURN_IF_ERROR(bytes.status());
  TW_ASSIGN_OR_RETURN(v1::CheckpointFile checkpoint, ParseCheckpoint(*bytes, path));
  return std::optional<v1::CheckpointFile>(std::move(checkpoint));
}

absl::StatusOr<std::vector<std::string>> FilesBeside(const std::string& directory,
                                                     absl::string_view name) {
  std::vector<std::string> paths;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error), end;
  for (; entry != end; entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    if (absl::StartsWith(path.filename().string(), absl::StrCat(name, "-")) &&
        path.extension() == ".pb") {
      paths.push_back(path.string());
    }
  }
  if (error && error != std::errc::no_such_file_or_directory &&
      error != std::errc::not_a_directory) {
    return absl::InternalError(absl::StrCat("cannot list ", directory, ": ", error.message(), "."));
  }
  // A folder has no order of its own.
  std::sort(paths.begin(), paths.end());
  return paths;
}

absl::StatusOr<std::optional<v1::CheckpointFile>> ModelDirectory::Checkpoint() const {
  return ReadCheckpoint(path_);
}

absl::Status ModelDirectory::WriteCheckpoint(const v1::CheckpointFile& checkpoint) {
  std::string bytes;
  TW_RETURN_IF_ERROR(Serialize(checkpoint, CheckpointPath(path_), &bytes));
  TW_RETURN_IF_ERROR(CheckInPlace());
  return base::ReplaceFileDurably(CheckpointPath(path_), bytes);
}

absl::Status ModelDirectory::RemoveCheckpoint() {
  TW_RETURN_IF_ERROR(CheckInPlace());
  // Nothing reads it, but a folder that was made for a refused fit could not be removed around it.
  TW_RETURN_IF_ERROR(base::RemoveFileDurably(CheckpointPath(path_) + ".partial"));
  return base::RemoveFileDurably(CheckpointPath(path_));
}

absl::Status ModelDirectory::Finish(const v1::ModelFile& model) {
  std::string bytes;
  TW_RETURN_IF_ERROR(Serialize(model, ModelPath(path_), &bytes));
  TW_RETURN_IF_ERROR(CheckInPlace());
  // The model first. Between the steps both files are there, which means finished; the other way
  // round a power cut would take the only trace of a fit that is paid.
  TW_RETURN_IF_ERROR(base::ReplaceFileDurably(ModelPath(path_), bytes));
  return RemoveCheckpoint();
}

}  // namespace topicwall::client
