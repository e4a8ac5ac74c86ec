// The JSON that programs print and the log keeps: objects whose members stay in the order in which
// they were set, without blanks between them.
//
//   JsonObject object;
//   object.SetString("corpus", "notes").SetNumber("epsilon", 2.44).SetRaw("plan", plan_json);
//   object.Text();  // {"corpus":"notes","epsilon":2.44,"plan":{…}}
//
// The type of a value is in the name of the method, so that a text never becomes a flag by
// conversion. Numbers read back as the same double; NaN and infinity, which JSON does not have,
// are null. UTF-8 stays as it is; the bytes of a text that is not valid UTF-8 stand as U+0080 to
// U+00FF, so that whatever comes is valid JSON. Threads: one thread's object.
#ifndef TOPICWALL_BASE_JSON_H_
#define TOPICWALL_BASE_JSON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace topicwall::base {

class JsonObject {
 public:
  JsonObject& SetString(absl::string_view key, absl::string_view value);
  JsonObject& SetStrings(absl::string_view key, const std::vector<std::string>& values);
  JsonObject& SetNumber(absl::string_view key, double value);
  JsonObject& SetInteger(absl::string_view key, int64_t value);
  JsonObject& SetBool(absl::string_view key, bool value);
  JsonObject& SetObject(absl::string_view key, const JsonObject& value);
  JsonObject& SetObjects(absl::string_view key, const std::vector<JsonObject>& values);
  // `json` is JSON already.
  JsonObject& SetRaw(absl::string_view key, absl::string_view json);

  std::string Text() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

// An array of values that are JSON already.
std::string JsonArray(const std::vector<std::string>& values);

// A number as JSON.
std::string JsonNumber(double value);

// A string as JSON, quotes included; JsonAscii escapes all that is not plain ASCII.
std::string JsonString(absl::string_view value);
std::string JsonAscii(absl::string_view value);

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_JSON_H_
