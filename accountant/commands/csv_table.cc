#include "accountant/commands/csv_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace topicwall::accountant {
namespace {

// One cell from the front of `rest`, which then begins with the comma after it or is empty.
absl::StatusOr<std::string> TakeCell(absl::string_view& rest) {
  rest = absl::StripLeadingAsciiWhitespace(rest);
  if (!absl::StartsWith(rest, "\"")) {
    const absl::string_view cell = rest.substr(0, rest.find(','));
    rest.remove_prefix(cell.size());
    return std::string(absl::StripTrailingAsciiWhitespace(cell));
  }
  std::string cell;
  for (size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] != '"') {
      cell += rest[i];
    } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
      cell += rest[i++];
    } else {
      rest = absl::StripLeadingAsciiWhitespace(rest.substr(i + 1));
      if (rest.empty() || rest[0] == ',') return cell;
      return absl::InvalidArgumentError("a closing quote must end its cell.");
    }
  }
  return absl::InvalidArgumentError("a quote that opens a cell must be closed on the same line.");
}

// The names of columns as an error shows them: a line of rubbish is not repeated in full.
std::string Shown(const std::vector<std::string>& names) {
  constexpr size_t kLongest = 200;
  std::string text = absl::StrJoin(names, ",");
  if (text.size() > kLongest) text = absl::StrCat(text.substr(0, kLongest), "…");
  return text;
}

absl::StatusOr<std::vector<std::string>> SplitCells(absl::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    TW_ASSIGN_OR_RETURN(std::string cell, TakeCell(line));
    cells.push_back(std::move(cell));
    if (line.empty()) return cells;
    line.remove_prefix(1);  // the comma
  }
}

}  // namespace

absl::StatusOr<CsvTable> CsvTable::Read(std::istream& in, absl::string_view name) {
  CsvTable table;
  table.name_ = std::string(name);
  std::string line;
  for (int64_t number = 1; std::getline(in, line); ++number) {
    absl::string_view text = absl::StripSuffix(line, "\r");
    // Before the header, not only in the first line: it is printed as the first line later.
    while (table.header_.cells.empty() && absl::ConsumePrefix(&text, "\xEF\xBB\xBF")) {
    }
    const absl::string_view content = absl::StripLeadingAsciiWhitespace(text);
    if (content.empty() || content[0] == '#') continue;
    absl::StatusOr<std::vector<std::string>> cells = SplitCells(text);
    if (!cells.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ":", number, ": ", cells.status().message()));
    }
    // The line as it was written goes along: what prints it again must not quote it anew.
    TableRow row = {.line = number, .text = std::string(text), .cells = *std::move(cells)};
    if (table.header_.cells.empty()) {
      const std::set<std::string> names(row.cells.begin(), row.cells.end());
      if (names.size() != row.cells.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat(name, ":", number, ": every column must have a name of its own; got ",
                         Shown(row.cells), "."));
      }
      table.header_ = std::move(row);
    } else if (row.cells.size() == table.header_.cells.size()) {
      table.rows_.push_back(std::move(row));
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ":", number, ": a row must have ", table.header_.cells.size(),
                       " cells, like the first line; got ", row.cells.size(), "."));
    }
  }
  // Of some of the plans less would be told than of all.
  if (in.bad()) return absl::DataLossError(absl::StrCat("cannot read ", name, " to its end."));
  if (table.header_.cells.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ":1: the first line must name the columns; got an empty file."));
  }
  return table;
}

absl::StatusOr<size_t> CsvTable::ColumnNamed(absl::string_view column) const {
  const auto found = std::find(header_.cells.begin(), header_.cells.end(), column);
  if (found == header_.cells.end()) {
    return absl::InvalidArgumentError(absl::StrCat(name_, ":", header_.line,
                                                   ": a column must be named \"", column,
                                                   "\"; got ", Shown(header_.cells), "."));
  }
  return static_cast<size_t>(found - header_.cells.begin());
}

absl::Status CsvTable::At(const TableRow& row, absl::string_view column,
                          const absl::Status& status) const {
  return absl::Status(status.code(), absl::StrCat(name_, ":", row.line, ": column ", column, ": ",
                                                  status.message()));
}

}  // namespace topicwall::accountant
