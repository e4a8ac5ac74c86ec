// The JSON that `--json` prints: objects whose fields stay in the order they were given.
//
//   JsonObject object;
//   object.Text("corpus", "notes").Count("releases", 3).Number("epsilon", 2.44);
//   object.text();  // {"corpus": "notes", "releases": 3, "epsilon": 2.44}
//
// The type of a value is in the name of the method, so that a text never becomes a flag by
// conversion. Numbers read back as the same double; NaN and infinity, which JSON does not
// have, are null. Bytes of a text that is not valid UTF-8 stand as U+0080 to U+00FF.
//
// Threads: one thread's object.
#ifndef TOPICWALL_SERVER_ADMIN_JSON_OBJECT_H_
#define TOPICWALL_SERVER_ADMIN_JSON_OBJECT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace topicwall::admin {

class JsonObject {
 public:
  JsonObject& Text(absl::string_view name, absl::string_view value);
  JsonObject& Texts(absl::string_view name, const std::vector<std::string>& values);
  JsonObject& Count(absl::string_view name, int64_t value);
  JsonObject& Number(absl::string_view name, double value);
  JsonObject& Flag(absl::string_view name, bool value);
  JsonObject& Object(absl::string_view name, const JsonObject& value);
  JsonObject& Objects(absl::string_view name, const std::vector<JsonObject>& values);

  std::string text() const { return "{" + fields_ + "}"; }

 private:
  JsonObject& Field(absl::string_view name, absl::string_view json);

  std::string fields_;
};

}  // namespace topicwall::admin

#endif  // TOPICWALL_SERVER_ADMIN_JSON_OBJECT_H_
