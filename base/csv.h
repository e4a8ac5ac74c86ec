// CSV as of RFC 4180, written and read.
//
// Written: rows end in CR LF, a field with a comma, a quote or an end of a line stands in quotes. A
// number reads back as the same double; one that cannot be told, NaN or infinite, is empty. Pure.
//
//   CsvReader rows(input);
//   std::vector<std::string> row;
//   while (true) {
//     TW_ASSIGN_OR_RETURN(const bool is_row, rows.Next(row));
//     if (!is_row) break;   // the end, or input.bad()
//     … row …, which begins on rows.line()
//   }
//
// Read: rows end in CR LF or LF, a byte order mark of UTF-8 at the beginning is none of the first
// field, and lines without anything are no rows. INVALID_ARGUMENT, which never repeats what was
// read, for a quote within a field without quotes, one that is not closed, anything but a comma
// between fields, and a CR by itself outside of quotes. Memory: one row; of a quote that is not
// closed, what follows. Threads: one.
#ifndef TOPICWALL_BASE_CSV_H_
#define TOPICWALL_BASE_CSV_H_

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::base {

// Of UTF-8, with which some editors begin a file.
inline constexpr absl::string_view kByteOrderMark = "\xef\xbb\xbf";

// Reads on behind one if `input` begins with it; else it is at its beginning as before.
void SkipByteOrderMark(std::istream& input);

std::string CsvField(absl::string_view text);
std::string CsvNumber(double value);

class CsvReader {
 public:
  explicit CsvReader(std::istream& input) : input_(input) {}

  // False at the end. After an error nothing is to be read any more.
  absl::StatusOr<bool> Next(std::vector<std::string>& row);
  // Of the file, from 1: where the row begins that was read last, or that was an error.
  int64_t line() const { return line_; }

 private:
  bool ReadLine(std::string& line);

  std::istream& input_;
  int64_t lines_read_ = 0;
  int64_t line_ = 0;
};

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_CSV_H_
