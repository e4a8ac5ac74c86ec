// Everything that reading a corpus takes, had and touched before a release is charged: what is
// read ahead, and a decoded block and its bytes for every thread.
//
//   TW_ASSIGN_OR_RETURN(ReadMemory memory, ReadMemory::Reserve(ShapeOf(description), num_threads));
//   … charge …
//   BlockFeed feed(store, decoded, &memory);
//
// Each part has room for the largest block that the format allows of a corpus of that shape
// (unit_block.h), whatever the corpus holds, so that nothing grows with a unit after the charge: no
// document can make a paid release fail for want of memory, or show in how much the server takes.
//
// Over up to 262,144 terms: 22 MiB, and 10 MiB for every thread; for every attribute 3 MiB, and
// 1.5 MiB for every thread. Of vectors of many dimensions 6 MiB, and 3 MiB for every thread.
// PUBLIC: the shape and the number of threads decide.
//
// Privacy: what it holds is PRIVATE while a feed uses it, and afterwards.
// Threads: a buffer is one thread's; see block_feed.h.
// Cost: some 5 ms for two threads.
#ifndef TOPICWALL_SERVER_CORPUS_READ_MEMORY_H_
#define TOPICWALL_SERVER_CORPUS_READ_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "model/data/corpus_shape.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/unit_block.h"

namespace topicwall::corpus {

inline constexpr size_t kBlocksReadAhead = 4;

class ReadMemory {
 public:
  // One thread's, used again from block to block.
  struct Buffer {
    UnitBlock block;
    CorpusStore::ReadSpace space;
  };

  // For the corpora of that shape. INVALID_ARGUMENT unless num_threads >= 1; UNAVAILABLE if the
  // memory cannot be had.
  static absl::StatusOr<ReadMemory> Reserve(const model::CorpusShape& corpus, int num_threads);

  // What Reserve takes, in bytes.
  static int64_t Bytes(const model::CorpusShape& corpus, int num_threads);

  ReadMemory(ReadMemory&&) = default;
  ReadMemory& operator=(ReadMemory&&) = default;

  int num_threads() const { return static_cast<int>(buffers_.size()); }
  // 0 <= thread < num_threads().
  Buffer& buffer(int thread) { return buffers_[static_cast<size_t>(thread)]; }

 private:
  friend class BlockFeed;

  ReadMemory(const model::CorpusShape& corpus, int num_threads);

  std::vector<Buffer> buffers_;
  std::array<UnitBlock, kBlocksReadAhead> ahead_;
  CorpusStore::ReadSpace space_ahead_;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_READ_MEMORY_H_
