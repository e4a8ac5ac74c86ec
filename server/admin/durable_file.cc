#include "server/admin/durable_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::admin {
namespace {

constexpr size_t kCopyBytes = size_t{1} << 20;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  const int number_;
};

absl::Status CannotWrite(absl::string_view path) {
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

bool WriteAll(int file, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// `fill` writes the content into the new, empty file.
template <typename Fill>
absl::Status CreateDurably(const std::string& path, const Fill& fill) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.open()) {
    if (errno != EEXIST) return CannotWrite(path);
    return absl::AlreadyExistsError(absl::StrCat(path, " exists; it is not written over."));
  }
  absl::Status status = fill(file.number());
  if (status.ok() && fsync(file.number()) != 0) status = CannotWrite(path);
  if (!status.ok()) unlink(path.c_str());
  return status;
}

absl::Status SyncFolderOf(const std::string& path) {
  const std::string parent = std::filesystem::absolute(path).parent_path().string();
  const Descriptor folder(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.open() && fsync(folder.number()) == 0) return absl::OkStatus();
  return CannotWrite(parent);
}

}  // namespace

absl::Status WriteDurably(const std::string& path, absl::string_view content) {
  TW_RETURN_IF_ERROR(CreateDurably(path, [&](int file) {
    return WriteAll(file, content) ? absl::OkStatus() : CannotWrite(path);
  }));
  return SyncFolderOf(path);
}

absl::Status CopyDurably(const std::string& from, const std::string& to) {
  const Descriptor source(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source.open()) {
    return absl::NotFoundError(absl::StrCat("cannot read ", from, ": ", std::strerror(errno)));
  }
  TW_RETURN_IF_ERROR(CreateDurably(to, [&](int file) {
    std::vector<char> buffer(kCopyBytes);
    for (;;) {
      const ssize_t count = read(source.number(), buffer.data(), buffer.size());
      if (count == 0) return absl::OkStatus();
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 || !WriteAll(file, {buffer.data(), static_cast<size_t>(count)})) {
        return CannotWrite(to);
      }
    }
  }));
  return SyncFolderOf(to);
}

absl::Status RenameDurably(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) return CannotWrite(to);
  TW_RETURN_IF_ERROR(SyncFolderOf(from));
  return SyncFolderOf(to);
}

}  // namespace topicwall::admin
