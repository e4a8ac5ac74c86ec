#include "proto/json_line.h"

#include <google/protobuf/util/json_util.h>

#include <cstddef>

namespace topicwall::proto {
namespace {

// Whether brackets stand in each other more than kMostLevels deep. The parser refuses that, too,
// and less (objects in more than 33), but only after a time that grows with the square of the
// depth. It takes strings in either kind of quotes.
bool IsTooDeep(absl::string_view text) {
  constexpr int kMostLevels = 100;
  int depth = 0;
  char quote = 0;  // of the string that this is in
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostLevels) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::optional<google::protobuf::Struct> JsonObjectOf(absl::string_view text) {
  google::protobuf::Struct object;
  // A name twice is an error to the parser, since a Struct is a map.
  if (IsTooDeep(text) ||
      !google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, &object).ok()) {
    return std::nullopt;
  }
  return object;
}

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
