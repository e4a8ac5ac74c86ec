// Lines of a text file, numbered, with a bound on what one of them may cost.
//
//   absl::string_view line;
//   for (;;) {
//     TW_ASSIGN_OR_RETURN(LineReader::Found found, reader->Next(&line));
//     if (found == LineReader::Found::kEnd) break;
//     ...
//   }
//
// A line ends at "\n" or at the end of the file; the "\n" is not part of it, nor are byte order
// marks of UTF-8 that it begins with: of any line, as where files were joined, since what a line is
// must not depend on whether another stands before it. One longer than the bound is skipped to its
// end and given as kTooLong, so memory stays bounded whatever the file.
//
// Errors: NOT_FOUND or FAILED_PRECONDITION with file name and the system's words.
// Threads: one thread's object.
#ifndef TOPICWALL_SERVER_CORPUS_INGEST_LINE_READER_H_
#define TOPICWALL_SERVER_CORPUS_INGEST_LINE_READER_H_

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::corpus {

// NOT_FOUND or FAILED_PRECONDITION with the file's name and the system's words for its `error`.
absl::Status CannotRead(absl::string_view path, int error);

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
struct OpenFile {
  std::unique_ptr<std::FILE, CloseFile> file;
  int64_t bytes = 0;  // also of what has no size, such as a pipe
};
// CannotRead what is not there, or a folder.
absl::StatusOr<OpenFile> OpenToRead(const std::string& path);

class LineReader {
 public:
  enum class Found { kLine, kTooLong, kEnd };

  static absl::StatusOr<std::unique_ptr<LineReader>> Open(absl::string_view path,
                                                          size_t max_line_bytes);

  // `line` is valid until the next call; empty unless kLine.
  absl::StatusOr<Found> Next(absl::string_view* line);

  // Of the line given last, from 1.
  int64_t line_number() const { return line_number_; }

  const std::string& path() const { return path_; }

  // How much of the file has been read, 0 to 1 (1 for what has no size, such as a pipe).
  double FractionRead() const;

 private:
  LineReader(absl::string_view path, size_t max_line_bytes)
      : path_(path), max_line_bytes_(max_line_bytes) {}
  bool Fill();

  const std::string path_;
  const size_t max_line_bytes_;
  OpenFile source_ = {};
  std::string buffer_;  // read and not yet given, from begin_ on
  size_t begin_ = 0;
  int64_t line_number_ = 0;
  int64_t bytes_read_ = 0;
  bool at_end_ = false;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_INGEST_LINE_READER_H_
