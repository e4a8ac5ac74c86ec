#include "client/json.h"

#include <google/protobuf/util/json_util.h>

#include <charconv>
#include <cmath>
#include <cstdio>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace topicwall::client {

std::string JsonString(absl::string_view value) {
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string JsonNumber(double value) {
  if (!std::isfinite(value)) return "null";
  char digits[32];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), value);
  return std::string(digits, end.ptr);
}

JsonObject& JsonObject::SetRaw(absl::string_view key, absl::string_view json) {
  absl::StrAppend(&members_, members_.empty() ? "" : ",", JsonString(key), ":", json);
  return *this;
}

JsonObject& JsonObject::SetString(absl::string_view key, absl::string_view value) {
  return SetRaw(key, JsonString(value));
}

JsonObject& JsonObject::SetNumber(absl::string_view key, double value) {
  return SetRaw(key, JsonNumber(value));
}

JsonObject& JsonObject::SetInteger(absl::string_view key, int64_t value) {
  return SetRaw(key, absl::StrCat(value));
}

JsonObject& JsonObject::SetBool(absl::string_view key, bool value) {
  return SetRaw(key, value ? "true" : "false");
}

std::string JsonArray(const std::vector<std::string>& values) {
  return absl::StrCat("[", absl::StrJoin(values, ","), "]");
}

std::string JsonOf(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  // Fails only for an Any of an unknown type; no message that is printed here has one.
  const bool printed = google::protobuf::util::MessageToJsonString(message, &json, options).ok();
  return printed ? json : "null";
}

std::string Hex(absl::string_view bytes) { return absl::BytesToHexString(bytes); }

}  // namespace topicwall::client
