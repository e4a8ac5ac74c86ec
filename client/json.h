// The little JSON that `--json` needs: objects whose keys stay in the order they were set.
//
//   JsonObject object;
//   object.SetString("corpus", "notes").SetNumber("epsilon", 2.44).SetRaw("plan", plan_json);
//   object.Text();  // {"corpus":"notes","epsilon":2.44,"plan":{…}}
//
// Replies of the wall are printed in the standard JSON form of their messages (JsonOf); this is
// for results that are no message. Numbers have the fewest digits that make them that double;
// one that is not finite is null. Strings must be UTF-8. PUBLIC.
#ifndef TOPICWALL_CLIENT_JSON_H_
#define TOPICWALL_CLIENT_JSON_H_

#include <google/protobuf/message.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace topicwall::client {

class JsonObject {
 public:
  JsonObject& SetString(absl::string_view key, absl::string_view value);
  JsonObject& SetNumber(absl::string_view key, double value);
  JsonObject& SetInteger(absl::string_view key, int64_t value);
  JsonObject& SetBool(absl::string_view key, bool value);
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

// A string as JSON, quotes included.
std::string JsonString(absl::string_view value);

// The standard JSON form, with the field names of the .proto and fields at their defaults
// shown: int64 as strings, bytes in base64.
std::string JsonOf(const google::protobuf::Message& message);

// 32 bytes as 64 digits and so on: the form in which identifiers and heads are shown.
std::string Hex(absl::string_view bytes);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_JSON_H_
