#include "client/json.h"

#include <google/protobuf/util/json_util.h>

namespace topicwall::client {

std::string JsonOf(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string json;
  // Fails only for an Any of an unknown type; no message that is printed here has one.
  const bool printed = google::protobuf::util::MessageToJsonString(message, &json, options).ok();
  return printed ? json : "null";
}

}  // namespace topicwall::client
