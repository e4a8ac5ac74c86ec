#include "proto/json_vector.h"

namespace topicwall::proto {

bool TakeVector(const google::protobuf::Struct& object, absl::Span<double> numbers) {
  const auto field = object.fields().find("vector");
  if (field == object.fields().end() || !field->second.has_list_value()) return false;
  const auto& values = field->second.list_value().values();
  if (static_cast<size_t>(values.size()) != numbers.size()) return false;
  for (int i = 0; i < values.size(); ++i) {
    if (!values[i].has_number_value()) return false;
    numbers[static_cast<size_t>(i)] = values[i].number_value();
  }
  return true;
}

}  // namespace topicwall::proto
