#include "proto/release_header.h"

namespace topicwall::proto {
namespace {

// Both have them under these names.
template <typename From, typename To>
void CopyShared(const From& from, To* to) {
  to->set_clip_norm(from.clip_norm());
  to->set_kernel_name(from.kernel_name());
  to->set_noise_standard_deviation(from.noise_standard_deviation());
  *to->mutable_norm_histogram() = from.norm_histogram();
  to->set_histogram_noise_standard_deviation(from.histogram_noise_standard_deviation());
  to->set_rows(from.rows());
  to->set_columns(from.columns());
  to->set_statistics_sha256(from.statistics_sha256());
  to->set_direction_noise(from.direction_noise());
}

}  // namespace

v1::StoredRelease StoredOf(const v1::ReleaseHeader& header) {
  v1::StoredRelease stored;
  CopyShared(header, &stored);
  return stored;
}

v1::ReleaseHeader HeaderOf(const v1::StoredRelease& stored) {
  v1::ReleaseHeader header;
  CopyShared(stored, &header);
  return header;
}

}  // namespace topicwall::proto
