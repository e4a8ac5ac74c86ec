// The order that makes a file durable: write, fsync the file, give it its name, fsync the folder.
// Without the first sync a crash may leave the name with no or half the content, without the second
// the content with no name. So nothing is ever written under its own name.
#include "base/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"

namespace topicwall::base {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;

absl::Status SystemError(absl::string_view what, absl::string_view path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", path));
}

absl::Status WriteAll(int file, absl::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError("write", path);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

// Syncs what `fill` wrote into the new, empty file; unless all went well nothing has its name.
template <typename Fill>
absl::Status Create(const std::string& path, mode_t mode, const Fill& fill) {
  // O_EXCL also refuses a link under this name: what is written lands in no other place.
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file.valid()) return SystemError("create", path);
  absl::Status status = fill(file.get());
  if (status.ok() && fsync(file.get()) != 0) status = SystemError("sync", path);
  // The descriptor is closed afterwards; what close could report was reported by fsync.
  if (!status.ok()) unlink(path.c_str());
  return status;
}

// Of "models/notes/" it is "models".
std::string FolderOf(const std::string& path) {
  const size_t last = path.find_last_not_of('/');
  const size_t slash = last == std::string::npos ? path.rfind('/') : path.rfind('/', last);
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool Rename(const std::string& from, const std::string& to, IfExists if_exists) {
  if (if_exists == IfExists::kReplace) return std::rename(from.c_str(), to.c_str()) == 0;
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // A file system without that promise, a network one perhaps: look first.
  if (NameIsTaken(to)) {
    errno = EEXIST;
    return false;
  }
  return std::rename(from.c_str(), to.c_str()) == 0;
}

// By way of the name `partial`, which is free.
template <typename Fill>
absl::Status CreateAndRename(const std::string& partial, const std::string& path, mode_t mode,
                             IfExists if_exists, const Fill& fill) {
  TW_RETURN_IF_ERROR(Create(partial, mode, fill));
  if (!Rename(partial, path, if_exists)) {
    const absl::Status failed = SystemError("rename into place", path);
    unlink(partial.c_str());
    return failed;
  }
  return SyncFolderOf(path);
}

// "<beginning><random>.partial": no other process has it, nor is it a left-over's.
absl::StatusOr<std::string> FreePartial(absl::string_view beginning) {
  uint64_t drawn = 0;
  if (getentropy(&drawn, sizeof drawn) != 0) return SystemError("draw a name", beginning);
  return absl::StrCat(beginning, absl::Hex(drawn, absl::kZeroPad16), ".partial");
}

template <typename Fill>
absl::Status CreateForOwner(const std::string& path, const Fill& fill) {
  // Before it is filled, which may take long.
  if (NameIsTaken(path)) {
    errno = EEXIST;
    return SystemError("create", path);
  }
  TW_ASSIGN_OR_RETURN(const std::string partial, FreePartial(path + "."));
  return CreateAndRename(partial, path, 0600, IfExists::kRefuse, [&](int file) {
    // The mode again: an odd umask may have taken the owner's own bits away.
    return fchmod(file, 0600) == 0 ? fill(file) : SystemError("set the mode of", path);
  });
}

// Where the links from `path` end, be there a file or not.
absl::StatusOr<std::string> TargetOf(const std::string& path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  std::filesystem::path target = path;
  for (int links = 0; links <= kMostLinks; ++links) {
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) return target.string();  // no link
    target = target.parent_path() / next;
  }
  errno = ELOOP;
  return SystemError("follow the links of", path);
}

}  // namespace

absl::Status ReplaceOutputDurably(const std::string& path, absl::string_view bytes) {
  struct stat status;
  const bool is_there = stat(path.c_str(), &status) == 0;
  if (is_there && !S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("an output must be a file, or a name that is free; ", path, " is ",
                     S_ISDIR(status.st_mode) ? "a folder" : "a pipe or a device",
                     ". Name a file, and take it from there."));
  }
  TW_ASSIGN_OR_RETURN(const std::string target, TargetOf(path));
  // Neither the name of another writer's, nor of a file that is somebody's own, nor one that is too
  // long where the path's is not.
  TW_ASSIGN_OR_RETURN(const std::string partial, FreePartial(FolderOf(target) + "/.topicwall-"));
  const mode_t mode = is_there ? status.st_mode & 0777 : 0644;
  return CreateAndRename(partial, target, mode, IfExists::kReplace, [&](int file) {
    // Of a file that was there the mode again, of which the umask has taken away.
    if (is_there && fchmod(file, mode) != 0) return SystemError("set the mode of", target);
    return WriteAll(file, bytes, target);
  });
}

absl::Status ReplaceFileDurably(const std::string& path, absl::string_view bytes, mode_t mode) {
  const std::string partial = path + ".partial";
  // An old one may have another mode; it means nothing, so it goes.
  unlink(partial.c_str());
  return CreateAndRename(partial, path, mode, IfExists::kReplace,
                         [&](int file) { return WriteAll(file, bytes, path); });
}

absl::Status WriteNewFileDurably(const std::string& path, absl::string_view bytes) {
  return CreateForOwner(path, [&](int file) { return WriteAll(file, bytes, path); });
}

absl::Status CopyFileDurably(const std::string& from, const std::string& to) {
  const FileDescriptor source(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source.valid()) return SystemError("read", from);
  return CreateForOwner(to, [&](int file) -> absl::Status {
    std::vector<char> buffer(kBufferBytes);
    for (;;) {
      const ssize_t count = read(source.get(), buffer.data(), buffer.size());
      if (count == 0) return absl::OkStatus();
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return SystemError("read", from);
      TW_RETURN_IF_ERROR(WriteAll(file, {buffer.data(), static_cast<size_t>(count)}, to));
    }
  });
}

absl::Status RenameDurably(const std::string& from, const std::string& to, IfExists if_exists) {
  if (!Rename(from, to, if_exists)) return SystemError(absl::StrCat("rename ", from, " to"), to);
  // The new name first: were the old one's end alone on the disk, a crash would leave neither.
  TW_RETURN_IF_ERROR(SyncFolderOf(to));
  return FolderOf(from) == FolderOf(to) ? absl::OkStatus() : SyncFolderOf(from);
}

absl::Status RemoveFileDurably(const std::string& path) {
  if (unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return absl::OkStatus();
    const bool is_read_only = errno == EROFS;  // which is said even of what is not there
    const absl::Status failed = SystemError("remove", path);
    return is_read_only && !NameIsTaken(path) ? absl::OkStatus() : failed;
  }
  return SyncFolderOf(path);
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, int64_t max_bytes) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return SystemError("open", path);
  // fstat of what was opened, not stat of the name, which may be another file by now.
  struct stat status;
  if (fstat(file.get(), &status) != 0) return SystemError("look at", path);
  if (S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is a folder; a file is expected here."));
  }
  if (!(status.st_size <= max_bytes)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " must have at most ", max_bytes,
                                                   " bytes; it has ", int64_t{status.st_size}));
  }
  std::string bytes;
  std::vector<char> buffer(kBufferBytes);
  while (true) {
    const ssize_t got = read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read", path);
    if (got == 0) return bytes;
    bytes.append(buffer.data(), static_cast<size_t>(got));
    // A pipe or a growing file has no size to check beforehand.
    if (!(static_cast<int64_t>(bytes.size()) <= max_bytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " must have at most ", max_bytes, " bytes."));
    }
  }
}

absl::Status SyncFolder(const std::string& folder) {
  const FileDescriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.valid()) return SystemError("sync", folder);
  // EINVAL: a file system without that promise, a network one perhaps.
  if (fsync(file.get()) != 0 && errno != EINVAL) return SystemError("sync", folder);
  return absl::OkStatus();
}

absl::Status SyncFolderOf(const std::string& path) { return SyncFolder(FolderOf(path)); }

bool FileExists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

bool NameIsTaken(const std::string& path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

}  // namespace topicwall::base
