// The buffer holds what was read and not yet given: never more than the longest line that is
// allowed and one read. A line that is longer is dropped while it is read, so that a file without
// line ends, or a binary one, takes no more memory than any other and is one line that is too long.
#include "server/corpus/ingest/line_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/csv.h"
#include "base/status_macros.h"

namespace topicwall::corpus {
namespace {

// A pipe has no size, and is read in pieces of this.
constexpr int64_t kLeastRead = 1 << 12;
constexpr int64_t kMostRead = 1 << 14;

}  // namespace

absl::Status CannotRead(absl::string_view path, int error) {
  const std::string message = absl::StrCat("cannot read ", path, ": ", std::strerror(error));
  return error == ENOENT ? absl::NotFoundError(message) : absl::FailedPreconditionError(message);
}

absl::StatusOr<OpenFile> OpenToRead(const std::string& path) {
  OpenFile opened{.file = std::unique_ptr<std::FILE, CloseFile>(std::fopen(path.c_str(), "rbe"))};
  struct stat status;
  if (opened.file == nullptr || fstat(fileno(opened.file.get()), &status) != 0) {
    return CannotRead(path, errno);
  }
  if (S_ISDIR(status.st_mode)) return CannotRead(path, EISDIR);
  opened.bytes = status.st_size;
  return opened;
}

absl::StatusOr<std::unique_ptr<LineReader>> LineReader::Open(absl::string_view path,
                                                             size_t max_line_bytes) {
  std::unique_ptr<LineReader> reader(new LineReader(path, max_line_bytes));
  TW_ASSIGN_OR_RETURN(reader->source_, OpenToRead(reader->path_));
  return reader;
}

double LineReader::FractionRead() const {
  if (at_end_ || bytes_read_ >= source_.bytes) return 1.0;
  return static_cast<double>(bytes_read_) / static_cast<double>(source_.bytes);
}

// Reads more behind what is in the buffer; false at an error.
bool LineReader::Fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t held = buffer_.size();
  // One byte more than a small file has, so that its end is found at once.
  const auto wanted =
      static_cast<size_t>(std::clamp(source_.bytes - bytes_read_ + 1, kLeastRead, kMostRead));
  buffer_.resize(held + wanted);
  const size_t got = std::fread(buffer_.data() + held, 1, wanted, source_.file.get());
  buffer_.resize(held + got);
  bytes_read_ += static_cast<int64_t>(got);
  // fread gives less than was wanted only at the end, or at an error, which is asked for next.
  at_end_ = got < wanted;
  return std::ferror(source_.file.get()) == 0;
}

absl::StatusOr<LineReader::Found> LineReader::Next(absl::string_view* line) {
  *line = {};
  bool too_long = false;
  // Without it every read would search the line from its beginning: a square of its length.
  size_t searched = 0;  // from begin_: holds no "\n"
  for (;;) {
    const size_t end = buffer_.find('\n', begin_ + searched);
    const bool complete = end != std::string::npos;
    const size_t size = (complete ? end : buffer_.size()) - begin_;
    too_long = too_long || size > max_line_bytes_;
    // The last line may lack its end. If it was too long nothing of it is left, but it was one.
    if (complete || (at_end_ && (size > 0 || too_long))) {
      ++line_number_;
      if (!too_long) *line = absl::string_view(buffer_).substr(begin_, size);
      while (absl::ConsumePrefix(line, base::kByteOrderMark)) {
      }
      begin_ += size + (complete ? 1 : 0);
      return too_long ? Found::kTooLong : Found::kLine;
    }
    if (at_end_) return Found::kEnd;
    searched = size;
    if (too_long) {  // nothing of it is needed any more
      begin_ = buffer_.size();
      searched = 0;
    }
    if (!Fill()) return CannotRead(path_, errno);
  }
}

}  // namespace topicwall::corpus
