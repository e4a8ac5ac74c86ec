// A file without a name, for what does not fit into memory while something is being made.
//
//   TW_ASSIGN_OR_RETURN(ScratchFile file, ScratchFile::CreateNear("notes.corpus"));
//   TW_ASSIGN_OR_RETURN(const int64_t offset, file.Append(bytes));
//   TW_RETURN_IF_ERROR(file.Read(offset, bytes.size(), &again));
//
// It is made in the folder of the file it is near to, mode 0600, and its name is removed at
// once: nobody else can open it, and it is gone with the process, however that ends.
//
// What is appended lies on the disk as it is: give it sealed.
// Errors: UNAVAILABLE with the operating system's words (disk full, no such folder).
// Threads: one thread's object.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_SCRATCH_FILE_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_SCRATCH_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_descriptor.h"

namespace topicwall::corpus {

class ScratchFile {
 public:
  static absl::StatusOr<ScratchFile> CreateNear(absl::string_view path);

  // Where the bytes begin. After an error the file must not be used further.
  absl::StatusOr<int64_t> Append(absl::string_view bytes);

  // Bytes appended so far: where the next ones will begin.
  int64_t size() const { return size_; }

  // `size` bytes from `offset` on, into a string whose memory is used again.
  absl::Status Read(int64_t offset, size_t size, std::string* bytes) const;

 private:
  ScratchFile(absl::string_view path, int descriptor) : path_(path), file_(descriptor) {}
  absl::Status Failure(int error) const;

  std::string path_;  // near which
  base::FileDescriptor file_;
  int64_t size_ = 0;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_SCRATCH_FILE_H_
