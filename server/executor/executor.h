// The step between receipt and noise: what the model makes of every sampled unit of some shards of
// a corpus, clipped and summed.
//
//   TW_ASSIGN_OR_RETURN(UnitSum units, executor.Sum({.coins = keys.coins,
//                                                    .clip_norm = 4,
//                                                    .max_documents_per_unit = 100,
//                                                    .shards = AllShards(keys.coins)}));
//
// Who executes has the model bound to its parameters, and all the memory that summing takes, before
// the release is charged. The order says all else that the sum is a function of. Its coins are keys
// for who and what takes part; the key of the noise stays with who ordered (noise_mechanism.h).
//
// The sum is bit-identical for any number of threads, any order of blocks, any layout of the corpus
// file, any part of it kept decoded in memory, any number of shards and any order in which their
// sums are merged, because a unit's integers depend on that unit alone and integers add in any
// order.
//
// Nothing of one unit can fail a sum: units of a block that cannot be unsealed contribute zero, and
// `unreadable` is set: the release is then void (server/vault/private_e_step.h). Only a failure of
// the machine (the cipher, memory) is an error.
//
// Privacy: everything here is PRIVATE; the time it takes is hidden by the schedule. Which blocks
// are a shard's follows from the number of blocks alone, never from who is drawn.
#ifndef TOPICWALL_SERVER_EXECUTOR_EXECUTOR_H_
#define TOPICWALL_SERVER_EXECUTOR_EXECUTOR_H_

#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/statistic_model.h"
#include "server/corpus/block_feed.h"
#include "server/mechanism/partial_sum.h"
#include "server/mechanism/release_coins.h"
#include "server/mechanism/release_memory.h"

namespace topicwall::executor {

struct WorkOrder {
  const mechanism::ReleaseCoins& coins;
  double clip_norm;                // C
  int64_t max_documents_per_unit;  // public cap, >= 1
  std::vector<int> shards;         // of those that the release has; each is to be given once
  double direction_noise = 0;      // r; else 0, directions were reserved
  // Once it is set the sum ends with CANCELLED, after the document at hand.
  const std::atomic<bool>* abandoned = nullptr;
};

struct UnitSum {
  mechanism::PartialSum sum;
  bool unreadable;  // some units could not be unsealed
};

class Executor {
 public:
  virtual ~Executor() = default;

  // In how many shards it wants releases.
  virtual int num_shards() const = 0;

  // Once: it uses up what was reserved. INVALID_ARGUMENT for a shard that the release has not, or a
  // shape that was not paid for.
  virtual absl::StatusOr<UnitSum> Sum(const WorkOrder& order) = 0;
};

// The memory of a sum of `inference`, and its rows' directions, before the charge. As
// ReleaseMemory::Reserve, and INVALID_ARGUMENT for directions that the model has not.
inline absl::StatusOr<mechanism::ReleaseMemory> ReserveSum(const model::Inference& inference,
                                                           int num_threads, bool has_directions) {
  absl::StatusOr<mechanism::ReleaseMemory> memory = mechanism::ReleaseMemory::Reserve(
      {.shape = inference.shape(), .num_threads = num_threads, .has_directions = has_directions});
  if (!memory.ok() || !has_directions) return memory;
  const absl::Status taken = memory->TakeDirections(
      [&inference](absl::Span<float> directions) { return inference.Directions(directions); });
  if (!taken.ok()) return taken;
  return memory;
}

inline std::vector<int> AllShards(const mechanism::ReleaseCoins& coins) {
  std::vector<int> shards(static_cast<std::size_t>(coins.tag().num_shards));
  std::iota(shards.begin(), shards.end(), 0);
  return shards;
}

// A shard's blocks: as many as another's or one less, in the order of the corpus. Every block is in
// one shard. Precondition: 0 <= shard < num_shards.
inline corpus::BlockRange BlocksOf(int shard, int num_shards, int num_blocks) {
  const auto before = [&](int64_t shards) {
    return static_cast<int>(shards * num_blocks / num_shards);
  };
  return {.first = before(shard), .end = before(int64_t{shard} + 1)};
}

}  // namespace topicwall::executor

#endif  // TOPICWALL_SERVER_EXECUTOR_EXECUTOR_H_
