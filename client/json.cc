// Not protobuf's own JSON, whose int64 are strings and whose bytes are base64: an id would be
// spelled otherwise than everywhere else.
#include "client/json.h"

#include <google/protobuf/descriptor.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hex.h"
#include "base/json.h"

namespace topicwall::client {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string TextJson(const FieldDescriptor& field, const std::string& text) {
  return base::JsonString(field.type() == FieldDescriptor::TYPE_BYTES ? base::Hex(text) : text);
}

// `at`: the place of a repeated field, -1 of another.
std::string ValueJson(const Message& message, const FieldDescriptor* field, int at) {
  const Reflection& reflection = *message.GetReflection();
  const auto get = [&](auto single, auto repeated) {
    return at < 0 ? (reflection.*single)(message, field)
                  : (reflection.*repeated)(message, field, at);
  };
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat(get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32));
    case FieldDescriptor::CPPTYPE_INT64:
      return absl::StrCat(get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64));
    case FieldDescriptor::CPPTYPE_UINT32:
      return absl::StrCat(get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32));
    case FieldDescriptor::CPPTYPE_UINT64:
      return absl::StrCat(get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return base::JsonNumber(get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return base::JsonNumber(double{get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat)});
    case FieldDescriptor::CPPTYPE_BOOL:
      return get(&Reflection::GetBool, &Reflection::GetRepeatedBool) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return base::JsonString(get(&Reflection::GetEnum, &Reflection::GetRepeatedEnum)->name());
    case FieldDescriptor::CPPTYPE_STRING:
      return TextJson(*field, get(&Reflection::GetString, &Reflection::GetRepeatedString));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return JsonOf(at < 0 ? reflection.GetMessage(message, field)
                           : reflection.GetRepeatedMessage(message, field, at));
  }
  return "null";
}

std::string ArrayJson(const Message& message, const FieldDescriptor* field) {
  std::vector<std::string> items;
  for (int i = 0; i < message.GetReflection()->FieldSize(message, field); ++i) {
    items.push_back(ValueJson(message, field, i));
  }
  return base::JsonArray(items);
}

}  // namespace

std::string JsonOf(const Message& message) {
  base::JsonObject object;
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* const field = type.field(i);
    // What can be absent is left out; what cannot is there also at 0, so that scripts find it.
    if (field->is_repeated()) {
      object.SetRaw(field->name(), ArrayJson(message, field));
    } else if (!field->has_presence() || message.GetReflection()->HasField(message, field)) {
      object.SetRaw(field->name(), ValueJson(message, field, -1));
    }
  }
  return object.Text();
}

}  // namespace topicwall::client
