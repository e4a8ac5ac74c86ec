// What makes two E-step requests the same request.
//
// SHA-256 of a domain tag, the plan's id, the iteration, every header field in
// fixed order (numbers as eight little-endian bytes, doubles by their bits) and
// the log topics as little-endian float32, row = topic. The client sends it, the
// server recomputes it over what it received; a release is stored under it. PUBLIC:
// a function of what the analyst sent alone.
#ifndef TOPICWALL_PROTO_REQUEST_DIGEST_H_
#define TOPICWALL_PROTO_REQUEST_DIGEST_H_

#include "absl/types/span.h"
#include "base/sha256.h"
#include "proto/topicwall.pb.h"

namespace topicwall::proto {

// `header.request_digest` itself is left out. Cost: one pass over the topics.
base::Digest RequestDigest(const v1::EStepHeader& header, absl::Span<const float> log_topics);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_REQUEST_DIGEST_H_
