// What the commands print: rows of named values, as an aligned table or as JSON.
//
//   Row row = {Text("accountant", "renyi"), AtMost("epsilon_upper", 1.21), Count("steps", 20)};
//   TableText({row}); JsonText(row);
//
// JSON has every double whole, as base/json.h writes it: null stands for "no finite bound". Text
// shows ten digits, and "inf"; what it says of a bound is true of these ten digits, too.
#ifndef TOPICWALL_ACCOUNTANT_COMMANDS_REPORT_H_
#define TOPICWALL_ACCOUNTANT_COMMANDS_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace topicwall::accountant {

enum class Rounding { kNearest, kUp, kDown };
// So many significant digits, or digits behind the point.
std::string DigitsText(double value, int digits, Rounding rounding);
std::string FixedText(double value, int decimals, Rounding rounding);

struct Field {
  std::string name;
  std::string json;
  std::string text;
};
using Row = std::vector<Field>;

// To the nearest: what was given, and is no bound.
Field Number(absl::string_view name, double value);
// A bound from above, or a σ that is enough: its text rounded up. A bound from below: down.
Field AtMost(absl::string_view name, double value);
Field AtLeast(absl::string_view name, double value);
// `name`_lower and `name`_upper. Where an accountant gives one number, which bounds from above
// alone, both say the same.
void AddBracket(absl::string_view name, double lower, double upper, Row& row);
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
