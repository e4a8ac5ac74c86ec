#include "accountant/commands/report.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/table.h"

namespace topicwall::accountant {
namespace {

// A nested field is of JSON alone.
bool IsShown(const Field& field) { return !field.text.empty(); }

// What a text says is what it reads back as. A unit of its last digit further it is on the other
// side of the value, and next to it.
std::string Directed(double value, double unit, Rounding rounding,
                     absl::FunctionRef<std::string(double)> text_of) {
  std::string text = text_of(value);
  double said = value;
  absl::from_chars(text.data(), text.data() + text.size(), said);
  if (rounding == Rounding::kUp && said < value) text = text_of(value + unit);
  if (rounding == Rounding::kDown && said > value) text = text_of(value - unit);
  return text;
}

Field NumberField(absl::string_view name, double value, Rounding rounding) {
  constexpr int kDigits = 10;
  return {.name = std::string(name),
          .json = base::JsonNumber(value),
          .text = DigitsText(value, kDigits, rounding)};
}

// With a line end after every line.
std::string TextOf(const base::Table& table) {
  const std::string text = table.Text();
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string DigitsText(double value, int digits, Rounding rounding) {
  const std::string scientific = absl::StrFormat("%.*e", digits - 1, value);
  const size_t mark = scientific.find('e');
  if (mark == std::string::npos) return absl::StrFormat("%g", value);  // infinite
  const int exponent = std::atoi(scientific.c_str() + mark + 1);
  const double unit = std::pow(10.0, exponent - digits + 1);
  return Directed(value, unit, rounding,
                  [digits](double at) { return absl::StrFormat("%.*g", digits, at); });
}

std::string FixedText(double value, int decimals, Rounding rounding) {
  return Directed(value, std::pow(10.0, -decimals), rounding,
                  [decimals](double at) { return absl::StrFormat("%.*f", decimals, at); });
}

// Ten digits for people, all of them for programs (base/json.h).
Field Number(absl::string_view name, double value) {
  return NumberField(name, value, Rounding::kNearest);
}
Field AtMost(absl::string_view name, double value) {
  return NumberField(name, value, Rounding::kUp);
}
Field AtLeast(absl::string_view name, double value) {
  return NumberField(name, value, Rounding::kDown);
}

void AddBracket(absl::string_view name, double lower, double upper, Row& row) {
  const std::string lower_name = absl::StrCat(name, "_lower");
  // Of an accountant without a lower bound both are one price, and no price is told rounded down.
  row.push_back(lower == upper ? AtMost(lower_name, lower) : AtLeast(lower_name, lower));
  row.push_back(AtMost(absl::StrCat(name, "_upper"), upper));
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
