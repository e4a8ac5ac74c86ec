#include "proto/strict_parse.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <vector>

namespace topicwall::proto {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// NOLINTNEXTLINE(misc-no-recursion): as deep as the message, which the parser bounds.
bool AllKnown(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  if (!reflection.GetUnknownFields(message).empty()) return false;
  // Unknown fields are kept by each message for itself, so every message within is asked.
  // ListFields has the fields that are set, which are all that can hold one.
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      if (!AllKnown(reflection.GetMessage(message, field))) return false;
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      if (!AllKnown(reflection.GetRepeatedMessage(message, field, i))) return false;
    }
  }
  return true;
}

}  // namespace

bool ParseStrictly(absl::string_view bytes, Message* message) {
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
         AllKnown(*message);
}

}  // namespace topicwall::proto
