#include "proto/request_digest.h"

#include <bit>
#include <utility>

namespace topicwall::proto {

base::Digest RequestDigest(const v1::EStepHeader& header, absl::Span<const float> log_topics) {
  base::Sha256 hash;
  hash.UpdateString("topicwall.v1.e_step_request");
  hash.UpdateString(header.plan_id());
  hash.UpdateInteger(static_cast<uint64_t>(int64_t{header.iteration()}));
  hash.UpdateInteger(std::bit_cast<uint64_t>(header.clip_norm()));
  hash.UpdateInteger(static_cast<uint64_t>(int64_t{header.max_e_step_iterations()}));
  hash.UpdateInteger(std::bit_cast<uint64_t>(header.mean_change_threshold()));
  hash.UpdateInteger(log_topics.size());
  hash.Update(absl::string_view(reinterpret_cast<const char*>(log_topics.data()),
                                log_topics.size() * sizeof(float)));
  return std::move(hash).Finish();
}

}  // namespace topicwall::proto
