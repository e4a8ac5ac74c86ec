#include "proto/request_digest.h"

#include <bit>
#include <utility>

namespace topicwall::proto {

base::Digest RequestDigest(const v1::RunReleaseHeader& header, const v1::ReleaseSpec& plan,
                           absl::Span<const float> parameters) {
  // The bytes are hashed as they lie (matrix_codec.cc says the same).
  static_assert(std::endian::native == std::endian::little);
  base::Sha256 hash;
  // The order of these lines is the format. Everything of variable length stands behind its length,
  // so that two requests with other boundaries are other bytes; the clip norm goes in by its bits,
  // as -0.0 and 0.0 or two NaNs must not depend on how they are compared. (A direction_noise of
  // -0.0 is refused.)
  hash.UpdateString("topicwall.v1.release_request");
  hash.UpdateString(header.plan_id());
  hash.UpdateInteger(static_cast<uint64_t>(int64_t{header.iteration()}));
  hash.UpdateInteger(std::bit_cast<uint64_t>(header.clip_norm()));
  hash.UpdateString(plan.model());
  hash.UpdateString(plan.options());
  hash.UpdateString(absl::string_view(reinterpret_cast<const char*>(parameters.data()),
                                      parameters.size() * sizeof(float)));
  // Behind all else, so that requests without it are what they were before there was any.
  if (header.direction_noise() != 0) {
    hash.UpdateInteger(std::bit_cast<uint64_t>(header.direction_noise()));
  }
  return std::move(hash).Finish();
}

}  // namespace topicwall::proto
