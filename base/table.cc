#include "base/table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace topicwall::base {
namespace {

bool Continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Of the character, or of what is none, that a text begins with.
size_t LengthOf(absl::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  // 0xC0 and 0xC1 would begin what has a shorter form, which UTF-8 does not allow.
  const size_t most = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1;
  size_t length = 1;
  while (length < std::min(most, text.size()) && Continues(text[length])) ++length;
  return length;
}

}  // namespace

size_t WidthOf(absl::string_view text) {
  // Continuation bytes take no room.
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !Continues(byte); }));
}

size_t ControlSize(absl::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const bool is_c1 = byte(0) >= 0x80 && byte(0) < 0xA0;  // by itself, where a character begins
  if (byte(0) < 0x20 || byte(0) == 0x7F || is_c1) return 1;
  // As UTF-8 the same controls are C2 80 to C2 9F, and terminals obey those, too.
  if (text.size() > 1 && byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;
  // Ends of line and paragraph, and what turns the direction of all that follows: U+2028 to 202E,
  // U+2066 to 2069.
  if (text.size() < 3 || byte(0) != 0xE2) return 0;
  const bool ends_or_turns = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;
  return ends_or_turns || (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) ? 3 : 0;
}

std::string WithoutControls(absl::string_view text, absl::string_view but) {
  std::string shown;
  for (; !text.empty();) {
    const size_t control = absl::StrContains(but, text[0]) ? 0 : ControlSize(text);
    const size_t size = control > 0 ? control : LengthOf(text);
    absl::StrAppend(&shown, control > 0 ? "\uFFFD" : text.substr(0, size));
    text.remove_prefix(size);
  }
  return shown;
}

void Table::AddRow(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = WithoutControls(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::Text(int indent) const {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows_) {
    if (row.size() > widths.size()) widths.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  std::string text;
  for (const std::vector<std::string>& row : rows_) {
    std::string line(static_cast<size_t>(indent), ' ');
    for (size_t i = 0; i < row.size(); ++i) {
      // Padded by hand: formatted padding counts bytes, and ε has two.
      absl::StrAppend(&line, row[i], std::string(widths[i] - WidthOf(row[i]) + 2, ' '));
    }
    // Of a line of blanks npos + 1, which is 0.
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, text.empty() ? "" : "\n", line);
  }
  return text;
}

}  // namespace topicwall::base
