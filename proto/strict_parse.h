// Parsing what is hashed or signed: every byte must be understood.
//
//   if (!ParseStrictly(entry.event(), &event)) ...
//
// A parser keeps or skips fields that it does not know, so one string of bytes says one thing to
// an old reader and another to a new one. Whoever checks a commitment or a signature must not
// accept bytes of which it cannot say what they mean.
//
// PUBLIC. Pure function, any thread. Cost: about 1 µs a message more than parsing.
#ifndef TOPICWALL_PROTO_STRICT_PARSE_H_
#define TOPICWALL_PROTO_STRICT_PARSE_H_

#include <google/protobuf/message.h>

#include "absl/strings/string_view.h"

namespace topicwall::proto {

// False if the bytes are no such message, or if it or a message in it has a field that this
// program does not know; *message is then of no use.
bool ParseStrictly(absl::string_view bytes, google::protobuf::Message* message);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_STRICT_PARSE_H_
