#include "base/json.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace topicwall::base {
namespace {

// Every byte as the code point of its number, in UTF-8.
std::string FromLatin1(absl::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

// What cannot be UTF-8 is still printed: an error that quotes somebody's bytes must not itself
// fail.
std::string Quoted(absl::string_view value, bool ascii) {
  const auto dump = [ascii](std::string text) {
    return nlohmann::json(std::move(text)).dump(/*indent=*/-1, ' ', ascii);
  };
  try {
    return dump(std::string(value));
  } catch (const nlohmann::json::type_error&) {  // thrown for nothing but invalid UTF-8
    return dump(FromLatin1(value));
  }
}

}  // namespace

std::string JsonString(absl::string_view value) { return Quoted(value, /*ascii=*/false); }

std::string JsonAscii(absl::string_view value) { return Quoted(value, /*ascii=*/true); }

// The shortest text that reads back as the same double; null for NaN and the infinities, which JSON
// has not.
std::string JsonNumber(double value) { return nlohmann::json(value).dump(); }

std::string JsonArray(const std::vector<std::string>& values) {
  return absl::StrCat("[", absl::StrJoin(values, ","), "]");
}

// Members are written as they come, where nlohmann's own object would sort them: people read these.
JsonObject& JsonObject::SetRaw(absl::string_view key, absl::string_view json) {
  absl::StrAppend(&members_, members_.empty() ? "" : ",", JsonString(key), ":", json);
  return *this;
}

JsonObject& JsonObject::SetString(absl::string_view key, absl::string_view value) {
  return SetRaw(key, JsonString(value));
}

JsonObject& JsonObject::SetStrings(absl::string_view key, const std::vector<std::string>& values) {
  std::vector<std::string> quoted;
  for (const std::string& value : values) quoted.push_back(JsonString(value));
  return SetRaw(key, JsonArray(quoted));
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

JsonObject& JsonObject::SetObject(absl::string_view key, const JsonObject& value) {
  return SetRaw(key, value.Text());
}

JsonObject& JsonObject::SetObjects(absl::string_view key, const std::vector<JsonObject>& values) {
  std::vector<std::string> texts;
  for (const JsonObject& value : values) texts.push_back(value.Text());
  return SetRaw(key, JsonArray(texts));
}

}  // namespace topicwall::base
