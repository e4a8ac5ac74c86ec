// Text in columns, as the programs print it.
//
//   Table table;
//   table.AddRow({"spent", "2.4400"});
//   std::cout << table.Text(/*indent=*/2) << "\n";
//
// Columns are as wide as their widest cell, two spaces between them, no spaces at the end of a
// line. Words, names and values in the cells are others': control characters, which a terminal
// would obey, are shown as U+FFFD. Threads: one.
#ifndef TOPICWALL_BASE_TABLE_H_
#define TOPICWALL_BASE_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace topicwall::base {

// The columns that UTF-8 text takes, as long as no character is wide or combining: its code points.
size_t WidthOf(absl::string_view text);

// The bytes of the control character that a text which is not empty begins with, else 0: of U+0000
// to U+001F and U+007F one, of U+0080 to U+009F (C1, which terminals obey as well) two, or one
// where the byte stands for itself, and three of what ends a line or turns the direction of text
// (U+2028 to U+202E, U+2066 to U+2069).
size_t ControlSize(absl::string_view text);

// `text` with U+FFFD in place of every control character that is none of `but`.
std::string WithoutControls(absl::string_view text, absl::string_view but = "");

class Table {
 public:
  // Rows need not be of one length.
  void AddRow(std::vector<std::string> cells);
  // One line per row, each beginning with `indent` spaces; no line end after the last.
  std::string Text(int indent = 0) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_TABLE_H_
