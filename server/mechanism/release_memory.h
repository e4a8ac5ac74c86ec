// The large buffers of one release, taken before it is charged, so that a paid release
// does not fail for want of memory.
//
//   absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve(
//       {.num_topics = 50, .vocabulary_size = 8000, .num_threads = 2});
//   ... charge, coins ...
//   LatticeSum::Create(std::move(coins), *std::move(memory), params);
//
// All is PUBLIC, and so is the size: 8·K·V bytes and 4·K·V for every copy, all of them written
// here, so that the pages exist. Nothing of the corpus changes it. There is a copy for every
// thread as long as all together have at most kMaxCopiedEntries entries, and always one.
// Errors: INVALID_ARGUMENT for a shape outside mechanism_limits.h; UNAVAILABLE if the
// memory cannot be had (nothing is charged yet: ask again later).
#ifndef TOPICWALL_SERVER_MECHANISM_RELEASE_MEMORY_H_
#define TOPICWALL_SERVER_MECHANISM_RELEASE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mechanism/lattice_rows.h"

namespace topicwall::mechanism {

class ReleaseMemory {
 public:
  struct Params {
    int num_topics;           // K
    int64_t vocabulary_size;  // V
    int num_threads;          // that will add; below 1 counts as 1
  };
  static constexpr int64_t kMaxCopiedEntries = int64_t{1} << 24;  // 64 MiB

  static absl::StatusOr<ReleaseMemory> Reserve(const Params& params);
  // What Reserve takes, in bytes.
  static int64_t BytesReserved(const Params& params);

  ReleaseMemory(ReleaseMemory&&) = default;
  ReleaseMemory& operator=(ReleaseMemory&&) = default;

  int num_topics() const { return num_topics_; }
  int64_t vocabulary_size() const { return vocabulary_size_; }
  std::size_t num_copies() const { return low_.size() / high_.size(); }  // >= 1

 private:
  friend class LatticeSum;       // adds units …
  friend class NoisyStatistics;  // … and keeps noisy_
  friend struct LatticeSumTestPeer;

  ReleaseMemory(const Params& params, std::size_t num_copies);

  LatticeRows copy(std::size_t number) {
    return {.low = low_.data() + number * high_.size(),
            .high = high_.data(),
            .num_topics = static_cast<std::size_t>(num_topics_)};
  }
  // Entry term·K + topic of the lattice: the sum of all copies.
  uint64_t At(std::size_t entry) const;

  int num_topics_;
  int64_t vocabulary_size_;
  // The lattice, V×K 64-bit integers, row = term; all zero. Halves of them apart: the upper one
  // is seldom touched, and twice as much of the lower one fits into the caches.
  std::vector<uint32_t> low_;  // one copy behind the other
  std::vector<uint32_t> high_;
  std::vector<float> noisy_;  // K×V, row = topic
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_RELEASE_MEMORY_H_
