#include "base/csv.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"

namespace topicwall::base {

std::string CsvField(absl::string_view text) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::string CsvNumber(double value) { return std::isfinite(value) ? JsonNumber(value) : ""; }

}  // namespace topicwall::base
