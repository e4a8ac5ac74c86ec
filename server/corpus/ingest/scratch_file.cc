#include "server/corpus/ingest/scratch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "server/corpus/corpus_description.h"
#include "server/random/secure_random.h"

namespace topicwall::corpus {

absl::StatusOr<ScratchFile> ScratchFile::CreateNear(absl::string_view path) {
  TW_ASSIGN_OR_RETURN(const auto random, random::Random128());
  const std::string name = absl::StrCat(path, ".", VersionHex(random), ".scratch");
  const int descriptor = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  // Near the output and not in /tmp: that may be memory, another disk, or in reach of other users.
  ScratchFile file(path, descriptor);
  // Without a name from now on: however this process ends, no documents stay behind.
  if (descriptor < 0 || unlink(name.c_str()) != 0) return file.Failure(errno);
  return file;
}

absl::Status ScratchFile::Failure(int error) const {
  return absl::UnavailableError(absl::StrCat("cannot keep documents beside ", path_,
                                             " while they are sorted: ", std::strerror(error),
                                             ". Its folder needs room for them twice."));
}

absl::StatusOr<int64_t> ScratchFile::Append(absl::string_view bytes) {
  const int64_t offset = size_;
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file_.get(), bytes.data(), bytes.size(), size_);
    if (written < 0 && errno == EINTR) continue;
    // Nothing written and no error would be tried for ever.
    if (written <= 0) return Failure(written < 0 ? errno : ENOSPC);
    size_ += written;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return offset;
}

absl::Status ScratchFile::Read(int64_t offset, size_t size, std::string* bytes) const {
  bytes->resize(size);
  for (size_t done = 0; done < size;) {
    const ssize_t got =
        pread(file_.get(), bytes->data() + done, size - done, offset + static_cast<int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    // The file ends before what was appended to it.
    if (got <= 0) return Failure(got < 0 ? errno : EIO);
    done += static_cast<size_t>(got);
  }
  return absl::OkStatus();
}

}  // namespace topicwall::corpus
