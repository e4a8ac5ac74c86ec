#include "proto/strict_parse.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/unknown_field_set.h>

#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace topicwall::proto {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr absl::string_view kNewerTypeUrl = "topicwall/written-by-newer";

// Enums are open: the parser takes any number, and keeps one without a name as if it had one.
bool HasKnownValues(const Message& message, const FieldDescriptor* field) {
  const Reflection& reflection = *message.GetReflection();
  const EnumDescriptor& names = *field->enum_type();
  if (!field->is_repeated()) {
    return names.FindValueByNumber(reflection.GetEnumValue(message, field)) != nullptr;
  }
  for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
    const int number = reflection.GetRepeatedEnumValue(message, field, i);
    if (names.FindValueByNumber(number) == nullptr) return false;
  }
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the message, which the parser bounds.
bool AllKnown(const Message& message) {
  const Reflection& reflection = *message.GetReflection();
  if (!reflection.GetUnknownFields(message).empty()) return false;
  // Unknown fields are kept by each message for itself, so every message within is asked, maps'
  // entries among them. ListFields has the fields that are set, which are all that can hold one.
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM && !HasKnownValues(message, field)) {
      return false;
    }
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

// Keeps the first error: the others usually follow from it.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstError(absl::string_view name) : name_(name) {}
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!text_.empty()) return;
    text_ = absl::StrCat(name_, ":", line + 1, ":", column + 1, ": ", message);
    if (absl::StrContains(message, "has no field")) {
      absl::StrAppend(&text_, " Correct its name, or delete it.");
    }
  }
  const std::string& text() const { return text_; }

 private:
  const std::string name_;
  std::string text_;
};

}  // namespace

Reading ReadStrictly(absl::string_view bytes, Message* message) {
  if (!message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Reading::kUnreadable;
  }
  return AllKnown(*message) ? Reading::kWhole : Reading::kSaysMore;
}

bool ParseStrictly(absl::string_view bytes, Message* message) {
  return ReadStrictly(bytes, message) == Reading::kWhole;
}

// A payload beside the code: many other things are FAILED_PRECONDITION, and some of them are a
// reason to suspect somebody.
absl::Status WrittenByNewer(absl::string_view what, absl::string_view program) {
  absl::Status status = absl::FailedPreconditionError(absl::StrCat(
      what, " says more than ", program, " knows, which is older than what wrote it: upgrade ",
      program, ". Until then nothing of it is verified."));
  status.SetPayload(kNewerTypeUrl, absl::Cord());
  return status;
}

bool IsWrittenByNewer(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) && status.GetPayload(kNewerTypeUrl).has_value();
}

// The parser refuses fields that it does not know, and one that is given twice.
absl::Status ParseText(absl::string_view text, absl::string_view name, Message* message) {
  // An editor's byte order mark, which the parser takes for a letter.
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  FirstError errors(name);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  google::protobuf::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
  return parser.Parse(&input, message) ? absl::OkStatus()
                                       : absl::InvalidArgumentError(errors.text());
}

}  // namespace topicwall::proto
