// What the commands print: rows of named values, as an aligned table or as JSON.
//
//   Row row = {Text("accountant", "renyi"), Number("epsilon_upper", 1.21), Count("steps", 20)};
//   TableText({row}); JsonText(row);
//
// JSON is as base/json.h writes it: null stands for "no finite bound". The table shows ten digits,
// and "inf".
#ifndef TOPICWALL_ACCOUNTANT_COMMANDS_REPORT_H_
#define TOPICWALL_ACCOUNTANT_COMMANDS_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace topicwall::accountant {

struct Field {
  std::string name;
  std::string json;
  std::string text;
};
using Row = std::vector<Field>;

Field Number(absl::string_view name, double value);
Field Count(absl::string_view name, int64_t value);
Field Text(absl::string_view name, absl::string_view value);
// `json` as it is; no column of a table.
Field Nested(absl::string_view name, absl::string_view json);

std::string JsonText(const Row& row);
std::string JsonArray(const std::vector<Row>& rows);

// A line of names, then one line for each row, columns as wide as needed, no blanks at the end of
// a line. All rows have the fields of the first. Empty for no rows.
std::string TableText(const std::vector<Row>& rows);
// One "name  value" line for each field.
std::string ListText(const Row& row);

}  // namespace topicwall::accountant

#endif  // TOPICWALL_ACCOUNTANT_COMMANDS_REPORT_H_
