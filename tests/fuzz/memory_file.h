// A file without a disk, for decoders that take a path.
//
//   static MemoryFile file;
//   file.Replace(input);
//   Read(file.path());
//
// memfd_create(2); the path, /proc/self/fd/N, opens anew from the beginning each time. RunFileFuzz
// is all of a target whose decoder answers with a message, or without one where there is no file.
#ifndef TOPICWALL_TESTS_FUZZ_MEMORY_FILE_H_
#define TOPICWALL_TESTS_FUZZ_MEMORY_FILE_H_

#include <sys/mman.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/fuzz/fuzz_target.h"

namespace topicwall::fuzz {

class MemoryFile {
 public:
  MemoryFile()
      : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)),
        path_(absl::StrCat("/proc/self/fd/", descriptor_)) {
    Require(descriptor_ >= 0, "the system gives a file in memory");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& path() const { return path_; }

  void Replace(absl::string_view content) {
    const bool replaced = ::ftruncate(descriptor_, 0) == 0 &&
                          ::pwrite(descriptor_, content.data(), content.size(), 0) ==
                              static_cast<ssize_t>(content.size());
    Require(replaced, "a file in memory can be written");
  }

 private:
  const int descriptor_;
  const std::string path_;
};

// `check` requires what holds of a file that was read, which is read again as it was.
template <typename File>
Verdict RunFileFuzz(absl::string_view input,
                    absl::StatusOr<std::optional<File>> (*read)(const std::string& path),
                    void (*check)(const File& file)) {
  static MemoryFile& memory = *new MemoryFile();
  memory.Replace(input);
  const auto file = read(memory.path());
  if (!file.ok()) {  // it is none, or a newer program's
    return Refuse(file.status(), {.codes = {absl::StatusCode::kInvalidArgument,
                                            absl::StatusCode::kFailedPrecondition}});
  }
  Require(file->has_value(), "a file that is there is never taken for absent");
  check(**file);
  memory.Replace((*file)->SerializeAsString());
  const auto again = read(memory.path());
  Require(again.ok() && (*again)->SerializeAsString() == (*file)->SerializeAsString(),
          "what was read reads back as it was");
  return Verdict::kAccepted;
}

}  // namespace topicwall::fuzz

#endif  // TOPICWALL_TESTS_FUZZ_MEMORY_FILE_H_
