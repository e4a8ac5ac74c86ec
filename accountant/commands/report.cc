#include "accountant/commands/report.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/table.h"

namespace topicwall::accountant {
namespace {

// A nested field is of JSON alone.
bool IsShown(const Field& field) { return !field.text.empty(); }

// With a line end after every line.
std::string TextOf(const base::Table& table) {
  const std::string text = table.Text();
  return text.empty() ? text : text + "\n";
}

}  // namespace

// Ten digits for people, all of them for programs (base/json.h).
Field Number(absl::string_view name, double value) {
  return {.name = std::string(name),
          .json = base::JsonNumber(value),
          .text = absl::StrFormat("%.10g", value)};
}

Field Count(absl::string_view name, int64_t value) {
  return {.name = std::string(name), .json = absl::StrCat(value), .text = absl::StrCat(value)};
}

Field Text(absl::string_view name, absl::string_view value) {
  return {.name = std::string(name), .json = base::JsonString(value), .text = std::string(value)};
}

Field Nested(absl::string_view name, absl::string_view json) {
  return {.name = std::string(name), .json = std::string(json), .text = ""};
}

std::string JsonText(const Row& row) {
  base::JsonObject object;
  for (const Field& field : row) object.SetRaw(field.name, field.json);
  return object.Text();
}

std::string JsonArray(const std::vector<Row>& rows) {
  std::vector<std::string> objects;
  for (const Row& row : rows) objects.push_back(JsonText(row));
  return base::JsonArray(objects);
}

// The first row names the columns: all rows of one report have the same fields.
std::string TableText(const std::vector<Row>& rows) {
  if (rows.empty()) return "";
  std::vector<std::string> names;
  for (const Field& field : rows.front()) {
    if (IsShown(field)) names.push_back(field.name);
  }
  base::Table table;
  table.AddRow(std::move(names));
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (const Field& field : row) {
      if (IsShown(field)) cells.push_back(field.text);
    }
    table.AddRow(std::move(cells));
  }
  return TextOf(table);
}

std::string ListText(const Row& row) {
  base::Table table;
  for (const Field& field : row) {
    if (IsShown(field)) table.AddRow({field.name, field.text});
  }
  return TextOf(table);
}

}  // namespace topicwall::accountant
