// The large buffers of one release, taken before it is charged, so that a paid release
// does not fail for want of memory.
//
//   absl::StatusOr<ReleaseMemory> memory = ReleaseMemory::Reserve(
//       {.shape = model->shape(), .num_threads = 2});
//   ... charge, coins ...
//   PartialSum::Create(coins, *std::move(memory), params);
//
// All is PUBLIC, and so is the size: 8·D bytes, 4·D for every copy, and for directions 2·(D + P)
// and some for each row, all written here, so that the pages exist. Nothing of the corpus changes
// it. There is a copy for every thread as long as all together have at most kMaxCopiedEntries
// entries, and always one. Errors: INVALID_ARGUMENT for a shape outside mechanism_limits.h;
// UNAVAILABLE if the memory cannot be had (nothing is charged yet: ask again later).
#ifndef TOPICWALL_SERVER_MECHANISM_RELEASE_MEMORY_H_
#define TOPICWALL_SERVER_MECHANISM_RELEASE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/sparse_statistic.h"
#include "server/mechanism/grid_rows.h"
#include "server/mechanism/row_directions.h"

namespace topicwall::mechanism {

class ReleaseMemory {
 public:
  struct Params {
    model::StatisticShape shape;
    int num_threads;              // that will add; below 1 counts as 1
    bool has_directions = false;  // its rows have (row_directions.h)
  };
  static constexpr int64_t kMaxCopiedEntries = int64_t{1} << 24;  // 64 MiB

  static absl::StatusOr<ReleaseMemory> Reserve(const Params& params);
  // For a release of rows with directions, before it is charged: `fill` puts them, D numbers column
  // by column, and says whether there are any. INVALID_ARGUMENT if not.
  absl::Status TakeDirections(absl::FunctionRef<bool(absl::Span<float>)> fill);
  // What Reserve takes, in bytes.
  static int64_t BytesReserved(const Params& params);

  ReleaseMemory(ReleaseMemory&&) = default;
  ReleaseMemory& operator=(ReleaseMemory&&) = default;

  const model::StatisticShape& shape() const { return shape_; }
  std::size_t num_copies() const { return low_.size() / high_.size(); }  // >= 1

 private:
  friend class PartialSum;       // adds units …
  friend class NoisyStatistics;  // … and keeps noisy_
  friend struct PartialSumTestPeer;

  ReleaseMemory(const Params& params, std::size_t num_copies);

  GridRows copy(std::size_t number) {
    return {.low = low_.data() + number * high_.size(),
            .high = high_.data(),
            .num_rows = static_cast<std::size_t>(shape_.rows())};
  }
  // Entry column·(D/P) + row of the grid: the sum of all copies.
  uint64_t At(std::size_t entry) const;
  // Adds `value` to it, modulo 2^64. Nobody else may be adding.
  void Add(std::size_t entry, uint64_t value);

  model::StatisticShape shape_;
  // The grid, D 64-bit integers column by column; all zero. Halves of them apart: the upper one
  // is seldom touched, and twice as much of the lower one fits into the caches.
  std::vector<uint32_t> low_;  // one copy behind the other
  std::vector<uint32_t> high_;
  std::vector<float> noisy_;          // D, row by row: as it is released; before, the directions
  RowDirections directions_;          // room for them as integers, or none
  std::vector<int64_t> noise_along_;  // of each row that has one
  bool took_directions_ = false;
};

}  // namespace topicwall::mechanism

#endif  // TOPICWALL_SERVER_MECHANISM_RELEASE_MEMORY_H_
