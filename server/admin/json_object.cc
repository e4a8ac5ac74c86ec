#include "server/admin/json_object.h"

#include <cmath>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "model/data/utf8.h"

namespace topicwall::admin {
namespace {

std::string Quoted(absl::string_view text) {
  const bool utf8 = lda::IsValidUtf8(text);
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json.append({'\\', c});
    } else if (byte < 0x20 || byte == 0x7f || (byte > 0x7f && !utf8)) {
      absl::StrAppendFormat(&json, "\\u%04x", byte);
    } else {
      json.push_back(c);
    }
  }
  return json + "\"";
}

// The shortest text that reads back as the same double.
std::string Shortest(double value) {
  if (!std::isfinite(value)) return "null";
  std::string text = absl::StrFormat("%.15g", value);
  return std::strtod(text.c_str(), nullptr) == value ? text : absl::StrFormat("%.17g", value);
}

}  // namespace

JsonObject& JsonObject::Field(absl::string_view name, absl::string_view json) {
  absl::StrAppend(&fields_, fields_.empty() ? "" : ", ", Quoted(name), ": ", json);
  return *this;
}

JsonObject& JsonObject::Text(absl::string_view name, absl::string_view value) {
  return Field(name, Quoted(value));
}

JsonObject& JsonObject::Texts(absl::string_view name, const std::vector<std::string>& values) {
  const auto append = [](std::string* out, const std::string& value) { *out += Quoted(value); };
  return Field(name, absl::StrCat("[", absl::StrJoin(values, ", ", append), "]"));
}

JsonObject& JsonObject::Count(absl::string_view name, int64_t value) {
  return Field(name, absl::StrCat(value));
}

JsonObject& JsonObject::Number(absl::string_view name, double value) {
  return Field(name, Shortest(value));
}

JsonObject& JsonObject::Flag(absl::string_view name, bool value) {
  return Field(name, value ? "true" : "false");
}

JsonObject& JsonObject::Object(absl::string_view name, const JsonObject& value) {
  return Field(name, value.text());
}

JsonObject& JsonObject::Objects(absl::string_view name, const std::vector<JsonObject>& values) {
  const auto append = [](std::string* out, const JsonObject& value) { *out += value.text(); };
  return Field(name, absl::StrCat("[", absl::StrJoin(values, ", ", append), "]"));
}

}  // namespace topicwall::admin
