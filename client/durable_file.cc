#include "client/durable_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::client {
namespace {

absl::Status SystemError(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", path));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  bool valid() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::Status WriteAll(int fd, absl::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return SystemError("write", path);
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace

// A rename or unlink is durable only once the folder that holds the name is.
absl::Status SyncFolderOf(const std::string& path) {
  const std::string folder = FolderOf(path);
  FileDescriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) return SystemError("sync", folder);
  return absl::OkStatus();
}

absl::Status WriteFileDurably(const std::string& path, absl::string_view bytes, mode_t mode) {
  const std::string partial = path + ".partial";
  // An old one may have another mode; it means nothing, so it goes.
  ::unlink(partial.c_str());
  {
    FileDescriptor fd(::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
    if (!fd.valid()) return SystemError("create", partial);
    absl::Status written = WriteAll(fd.get(), bytes, partial);
    if (written.ok() && ::fsync(fd.get()) != 0) written = SystemError("sync", partial);
    if (!written.ok()) {
      ::unlink(partial.c_str());
      return written;
    }
  }
  if (::rename(partial.c_str(), path.c_str()) != 0) {
    const absl::Status failed = SystemError("rename into place", path);
    ::unlink(partial.c_str());
    return failed;
  }
  return SyncFolderOf(path);
}

absl::Status RemoveFileDurably(const std::string& path) {
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return absl::OkStatus();
    return SystemError("remove", path);
  }
  return SyncFolderOf(path);
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, int64_t max_bytes) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return SystemError("open", path);
  struct stat status;
  if (::fstat(fd.get(), &status) != 0) return SystemError("look at", path);
  if (S_ISDIR(status.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is a folder; a file is expected here."));
  }
  if (!(status.st_size <= max_bytes)) {
    return absl::InvalidArgumentError(absl::StrCat(path, " must have at most ", max_bytes,
                                                   " bytes; it has ", int64_t{status.st_size}));
  }
  std::string bytes;
  char buffer[1 << 16];
  while (true) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read", path);
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<size_t>(got));
    // A pipe or a growing file has no size to check beforehand.
    if (!(static_cast<int64_t>(bytes.size()) <= max_bytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " must have at most ", max_bytes, " bytes."));
    }
  }
}

bool FileExists(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace topicwall::client
