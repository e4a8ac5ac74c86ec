// A table from a CSV file: a line of column names, then one line for each row.
//
// Blank lines and lines that begin with '#' are left out, a byte order mark and carriage returns
// too. Cells are separated by commas; one that begins with '"' ends at the next single '"' and may
// hold commas and doubled quotes, but no line end. Blanks around a cell are no part of it.
// Errors are INVALID_ARGUMENT and begin with "name:line: "; DATA_LOSS if the rest of it cannot be
// read. PUBLIC.
#ifndef TOPICWALL_ACCOUNTANT_COMMANDS_CSV_TABLE_H_
#define TOPICWALL_ACCOUNTANT_COMMANDS_CSV_TABLE_H_

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::accountant {

class CsvTable {
 public:
  struct TableRow {
    int64_t line;                    // in the file, from 1
    std::string text;                // the whole line as it was
    std::vector<std::string> cells;  // one for each column
  };

  // Reads to the end of `in`; `name` is for errors. Refused: no line of names, a name twice, a row
  // of another length, an open quote.
  static absl::StatusOr<CsvTable> Read(std::istream& in, absl::string_view name);

  const std::string& name() const { return name_; }
  const std::string& header_text() const { return header_.text; }
  const std::vector<std::string>& columns() const { return header_.cells; }
  const std::vector<TableRow>& rows() const { return rows_; }

  // Where a column stands, by its exact name; INVALID_ARGUMENT naming it when there is none.
  absl::StatusOr<size_t> ColumnNamed(absl::string_view column) const;

  // `status` with where it happened in front: "name:line: column c: …".
  absl::Status At(const TableRow& row, absl::string_view column, const absl::Status& status) const;

 private:
  CsvTable() = default;

  std::string name_;
  TableRow header_;
  std::vector<TableRow> rows_;
};

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_COMMANDS_CSV_TABLE_H_
