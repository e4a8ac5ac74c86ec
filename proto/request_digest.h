// What makes two requests for a release the same request.
//
// SHA-256 of a domain tag, the plan's id, the iteration and the clip norm (numbers as eight
// little-endian bytes, doubles by their bits), the model's name and options as the plan has them,
// the parameters as little-endian float32, and the direction noise, unless it is 0; what has no
// fixed length stands behind its length.
// The client sends it, the server recomputes it over what it received, of which nothing is
// serialised again; a release is stored under it. PUBLIC: a function of what the analyst sent
// alone.
#ifndef TOPICWALL_PROTO_REQUEST_DIGEST_H_
#define TOPICWALL_PROTO_REQUEST_DIGEST_H_

#include "absl/types/span.h"
#include "base/sha256.h"
#include "proto/wall.pb.h"

namespace topicwall::proto {

// `header.request_digest` itself is left out. Cost: one pass over the parameters.
base::Digest RequestDigest(const v1::RunReleaseHeader& header, const v1::ReleaseSpec& plan,
                           absl::Span<const float> parameters);

}  // namespace topicwall::proto

#endif  // TOPICWALL_PROTO_REQUEST_DIGEST_H_
