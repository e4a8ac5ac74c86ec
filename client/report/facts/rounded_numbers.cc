#include "client/report/facts/rounded_numbers.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/descriptor.h"
#include "proto/told_numbers.h"
#include "proto/wall.pb.h"

namespace topicwall::client {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// The double that is nearest to the six digits.
double Rounded(double value) {
  double rounded = value;
  return absl::SimpleAtod(absl::StrFormat("%.6g", value), &rounded) ? rounded : value;
}

// The least number of six digits that is not below `value` > 0; or of four behind the point, which
// everything else tells of ε, where those are more.
double RoundedUp(double value) {
  constexpr double kHasFourBehindSixDigits = 100;
  if (value >= kHasFourBehindSixDigits) return proto::Told(value);
  const double nearest = Rounded(value);
  // A sum of budgets that is 26.8 but for how doubles add stays 26.8.
  if (!(nearest < value * (1 - 1e-12))) return nearest;
  // One more in the sixth digit, and again to the nearest double of six digits: the sum has an
  // ulp's error.
  return Rounded(nearest + std::pow(10, std::floor(std::log10(nearest)) - 5));
}

// What is promised, spent or gained at most: never less than it is.
bool IsOfPrivacy(const FieldDescriptor& field) {
  const std::string& name = field.name();
  return absl::EndsWith(name, "epsilon") || absl::EndsWith(name, "delta") ||
         absl::StartsWith(name, "spent") ||
         field.containing_type() == v1::AttackBounds::descriptor();
}

bool RoundField(Message& message, const FieldDescriptor& field) {
  const google::protobuf::Reflection& access = *message.GetReflection();
  const bool is_double = field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
  const double value = is_double ? access.GetDouble(message, &field)
                                 : static_cast<double>(access.GetFloat(message, &field));
  if (!std::isfinite(value)) return false;
  if (is_double) {
    const bool goes_up = value > 0 && IsOfPrivacy(field);
    access.SetDouble(&message, &field, goes_up ? RoundedUp(value) : Rounded(value));
  } else {
    access.SetFloat(&message, &field, static_cast<float>(Rounded(value)));
  }
  return true;
}

bool IsNumber(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
         field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT;
}

}  // namespace

bool RoundNumbers(Message& message) {
  const google::protobuf::Reflection& access = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  // Fields that are set: one at its default is 0, and needs no rounding.
  access.ListFields(message, &fields);
  bool all_finite = true;
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!field->is_repeated()) {
        all_finite &= RoundNumbers(*access.MutableMessage(&message, field));
        continue;
      }
      for (int i = 0; i < access.FieldSize(message, field); ++i) {
        all_finite &= RoundNumbers(*access.MutableRepeatedMessage(&message, field, i));
      }
    } else if (IsNumber(*field) && !field->is_repeated()) {
      // report.proto repeats messages and texts, no numbers.
      all_finite &= RoundField(message, *field);
    }
  }
  return all_finite;
}

}  // namespace topicwall::client
