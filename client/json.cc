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

std::string ValueJson(const Message& message, const FieldDescriptor* field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat(reflection.GetInt32(message, field));
    case FieldDescriptor::CPPTYPE_INT64:
      return absl::StrCat(reflection.GetInt64(message, field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return absl::StrCat(reflection.GetUInt32(message, field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return absl::StrCat(reflection.GetUInt64(message, field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return base::JsonNumber(reflection.GetDouble(message, field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return base::JsonNumber(double{reflection.GetFloat(message, field)});
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return base::JsonString(reflection.GetEnum(message, field)->name());
    case FieldDescriptor::CPPTYPE_STRING:
      return TextJson(*field, reflection.GetString(message, field));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return JsonOf(reflection.GetMessage(message, field));
  }
  return "null";
}

std::string ItemJson(const Message& message, const FieldDescriptor* field, int i) {
  const Reflection& reflection = *message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat(reflection.GetRepeatedInt32(message, field, i));
    case FieldDescriptor::CPPTYPE_INT64:
      return absl::StrCat(reflection.GetRepeatedInt64(message, field, i));
    case FieldDescriptor::CPPTYPE_UINT32:
      return absl::StrCat(reflection.GetRepeatedUInt32(message, field, i));
    case FieldDescriptor::CPPTYPE_UINT64:
      return absl::StrCat(reflection.GetRepeatedUInt64(message, field, i));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return base::JsonNumber(reflection.GetRepeatedDouble(message, field, i));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return base::JsonNumber(double{reflection.GetRepeatedFloat(message, field, i)});
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetRepeatedBool(message, field, i) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return base::JsonString(reflection.GetRepeatedEnum(message, field, i)->name());
    case FieldDescriptor::CPPTYPE_STRING:
      return TextJson(*field, reflection.GetRepeatedString(message, field, i));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return JsonOf(reflection.GetRepeatedMessage(message, field, i));
  }
  return "null";
}

std::string ArrayJson(const Message& message, const FieldDescriptor* field) {
  std::vector<std::string> items;
  for (int i = 0; i < message.GetReflection()->FieldSize(message, field); ++i) {
    items.push_back(ItemJson(message, field, i));
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
      object.SetRaw(field->name(), ValueJson(message, field));
    }
  }
  return object.Text();
}

}  // namespace topicwall::client
