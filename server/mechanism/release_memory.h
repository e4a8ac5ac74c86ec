// The large buffers of one release, taken before it is charged, so that a paid release
// does not fail for want of memory.
//
//   absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve(num_topics, vocabulary_size);
//   ... charge, coins ...
//   LatticeSum::Create(std::move(coins), *std::move(memory), params);
//
// K and V are PUBLIC, and so is the size: 12·K·V bytes, all of them written here, so that
// the pages exist. Nothing of the corpus changes it.
// Errors: INVALID_ARGUMENT for a shape outside mechanism_limits.h; UNAVAILABLE if the
// memory cannot be had (nothing is charged yet: ask again later).
#ifndef TOPICWALL_SERVER_MECHANISM_RELEASE_MEMORY_H_
#define TOPICWALL_SERVER_MECHANISM_RELEASE_MEMORY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace topicwall::mechanism {

class ReleaseMemory {
 public:
  static absl::StatusOr<ReleaseMemory> Reserve(int num_topics, int64_t vocabulary_size);

  ReleaseMemory(ReleaseMemory&&) = default;
  ReleaseMemory& operator=(ReleaseMemory&&) = default;

  int num_topics() const { return num_topics_; }
  int64_t vocabulary_size() const { return vocabulary_size_; }

 private:
  friend class LatticeSum;       // adds units into low_ and high_ …
  friend class NoisyStatistics;  // … and keeps noisy_
  friend struct LatticeSumTestPeer;

  ReleaseMemory(int num_topics, int64_t vocabulary_size);

  int num_topics_;
  int64_t vocabulary_size_;
  // The lattice, V×K 64-bit integers, row = term; all zero. Halves of them apart: the upper one
  // is seldom touched, and twice as much of the lower one fits into the caches.
  std::vector<uint32_t> low_;
  std::vector<uint32_t> high_;
  std::vector<float> noisy_;  // K×V, row = topic
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_RELEASE_MEMORY_H_
