// A line of JSON as a stranger's file has it: one object, and the "vector" in it.
//
//   std::optional<google::protobuf::Struct> object = JsonObjectOf(line);
//   if (!object.has_value()) …;                       // says nothing of the line
//   std::vector<double> numbers(384);
//   if (!TakeVector(*object, absl::MakeSpan(numbers))) …
//
// Threads: pure functions.
#ifndef TOPICWALL_PROTO_JSON_LINE_H_
#define TOPICWALL_PROTO_JSON_LINE_H_

#include <google/protobuf/struct.pb.h>

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace topicwall::proto {

// Nothing unless the text is one object, no name twice, of not more than 100 levels. The parser's
// own error repeats the text, so it is not told. Cost: O(bytes), whatever the text is.
std::optional<google::protobuf::Struct> JsonObjectOf(absl::string_view text);

// False unless the field "vector" is there and is a list of exactly as many numbers as there is
// room for: a string, null or list among them is no number, whatever it says. (JSON has neither NaN
// nor infinity; a number beyond double's range does not parse.) Cost: O(d).
bool TakeVector(const google::protobuf::Struct& object, absl::Span<double> numbers);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_JSON_LINE_H_
