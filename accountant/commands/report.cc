#include "accountant/commands/report.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "accountant/commands/number_text.h"

namespace topicwall::accountant {
namespace {

constexpr size_t kBetweenColumns = 2;

bool IsShown(const Field& field) { return !field.text.empty(); }

// The cells of one line, each but the last filled up to its column's width.
std::string Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    absl::StrAppend(&line, cells[i]);
    if (i + 1 < cells.size()) {
      line.append(widths[i] + kBetweenColumns - cells[i].size(), ' ');
    }
  }
  return line + "\n";
}

std::string AlignedText(const std::vector<std::vector<std::string>>& lines) {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& cells : lines) {
    widths.resize(std::max(widths.size(), cells.size()), 0);
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& cells : lines) text += Line(cells, widths);
  return text;
}

}  // namespace

Field Number(absl::string_view name, double value) {
  return {.name = std::string(name),
          .json = std::isfinite(value) ? RoundTripText(value) : "null",
          .text = absl::StrFormat("%.10g", value)};
}

Field Count(absl::string_view name, int64_t value) {
  return {.name = std::string(name), .json = absl::StrCat(value), .text = absl::StrCat(value)};
}

Field Text(absl::string_view name, absl::string_view value) {
  return {.name = std::string(name), .json = JsonString(value), .text = std::string(value)};
}

Field Nested(absl::string_view name, absl::string_view json) {
  return {.name = std::string(name), .json = std::string(json), .text = ""};
}

std::string JsonString(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string JsonText(const Row& row) {
  return absl::StrCat("{",
                      absl::StrJoin(row, ", ",
                                    [](std::string* out, const Field& field) {
                                      absl::StrAppend(out, JsonString(field.name), ": ",
                                                      field.json);
                                    }),
                      "}");
}

std::string JsonArray(const std::vector<Row>& rows) {
  return absl::StrCat(
      "[",
      absl::StrJoin(rows, ",\n ",
                    [](std::string* out, const Row& row) { absl::StrAppend(out, JsonText(row)); }),
      "]");
}

std::string TableText(const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  std::vector<std::vector<std::string>> lines(1);
  for (const Field& field : rows.front()) {
    if (IsShown(field)) lines[0].push_back(field.name);
  }
  for (const Row& row : rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const Field& field : row) {
      if (IsShown(field)) line.push_back(field.text);
    }
  }
  return AlignedText(lines);
}

std::string ListText(const Row& row) {
  std::vector<std::vector<std::string>> lines;
  for (const Field& field : row) {
    if (IsShown(field)) lines.push_back({field.name, field.text});
  }
  return AlignedText(lines);
}

}  // namespace topicwall::accountant
