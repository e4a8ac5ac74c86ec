// Parsing what is hashed or signed, and what a person wrote: every byte must be understood.
//
//   if (!ParseStrictly(entry.event(), &event)) ...
//   TW_RETURN_IF_ERROR(ParseText(text, "wall.textproto", &config));
//
// A parser keeps or skips fields that it does not know, so one string of bytes says one thing to
// an old reader and another to a new one. Whoever checks a commitment or a signature must not
// accept bytes of which it cannot say what they mean. A number of an enum that has no name here is
// as unknown as a field. And a field of a configuration that this version does not know may be one
// that a guarantee of a later one hangs on.
//
// PUBLIC. Pure function, any thread. Cost: about 1 µs a message more than parsing.
#ifndef TOPICWALL_PROTO_STRICT_PARSE_H_
#define TOPICWALL_PROTO_STRICT_PARSE_H_

#include <google/protobuf/message.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace topicwall::proto {

enum class Reading {
  kWhole,       // to the last field
  kSaysMore,    // it, or a message in it, has a field or enum value this program does not know
  kUnreadable,  // no such message: *message is of no use
};
Reading ReadStrictly(absl::string_view bytes, google::protobuf::Message* message);

// Whether it is read whole; *message is of no use if not.
bool ParseStrictly(absl::string_view bytes, google::protobuf::Message* message);

// FAILED_PRECONDITION: `what` ("ledger entry 7") says more than `program` knows, which is to be
// upgraded. Neither that it is sound nor that it is not: whoever may write it can add a field. No
// part of it may be acted on.
absl::Status WrittenByNewer(absl::string_view what, absl::string_view program = "this program");
// Whether an error is that, of this program or, by its word, of the one that sent it.
bool IsWrittenByNewer(const absl::Status& status);

// A message in protobuf's text format. INVALID_ARGUMENT with place and reason of the first error,
// "name:line:column: …"; *message is then of no use.
absl::Status ParseText(absl::string_view text, absl::string_view name,
                       google::protobuf::Message* message);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_STRICT_PARSE_H_
