// The "vector" of a line of JSON: one list of numbers, as the custodian's documents and an
// analyst's own have it.
//
//   google::protobuf::Struct object = …;   // the line, parsed
//   std::vector<double> numbers(384);
//   if (!TakeVector(object, absl::MakeSpan(numbers))) …
//
// False unless the field is there and is a list of exactly as many numbers as there is room for: a
// string, null or list among them is no number, whatever it says. (JSON has neither NaN nor
// infinity; a number beyond double's range does not parse.)
//
// Threads: pure function. Cost: O(d).
#ifndef TOPICWALL_PROTO_JSON_VECTOR_H_
#define TOPICWALL_PROTO_JSON_VECTOR_H_

#include <google/protobuf/struct.pb.h>

#include "absl/types/span.h"

namespace topicwall::proto {

bool TakeVector(const google::protobuf::Struct& object, absl::Span<double> numbers);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_JSON_VECTOR_H_
