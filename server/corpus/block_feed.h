// Every block of a corpus, or of a range of it, once, to the threads that work on them, read ahead
// of them.
//
//   TW_ASSIGN_OR_RETURN(ReadMemory memory, ReadMemory::Reserve(shape, num_threads));  // uncharged
//   BlockFeed feed(*store, decoded, &memory);
//   // on every thread:
//   while (true) {
//     const absl::StatusOr<const UnitBlock*> block = feed.Next(&memory.buffer(thread));
//     if (!block.ok()) continue;        // that block is lost; there may be others
//     if (*block == nullptr) break;     // there are no more
//     Use(**block);
//   }
//
// One thread of the feed's own reads, unseals and parses up to kBlocksReadAhead blocks while
// the others work, so that a disk's latency and the cipher's time pass beside the arithmetic.
// Where many threads work it could not keep up alone: a thread that finds nothing ready does
// not wait but reads the next block itself. Blocks that are decoded in memory already
// (decoded_blocks.h) are handed out when nothing else is ready.
//
// Order: any. Who uses the blocks must not depend on it.
// Errors: Next gives DATA_LOSS once for each block that cannot be unsealed, with the one text
// of corpus_store.h.
// Privacy: PRIVATE.
// Threads: Next from many threads at once, one buffer each. The destructor waits for the
// feed's own thread, at most for the block it is reading; no thread may then be in Next.
// Memory: what read_memory.h has reserved, and no more however large a unit is (of a corpus that
// may be charged for: RequireUndamaged). Cost: one lock a block.
#ifndef TOPICWALL_SERVER_CORPUS_BLOCK_FEED_H_
#define TOPICWALL_SERVER_CORPUS_BLOCK_FEED_H_

#include <array>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/decoded_blocks.h"
#include "server/corpus/read_memory.h"
#include "server/corpus/unit_block.h"

namespace topicwall::corpus {

// first, first + 1, … end - 1.
struct BlockRange {
  int first;
  int end;
};

class BlockFeed {
 public:
  using Buffer = ReadMemory::Buffer;

  // All must outlive the feed; `decoded` holds blocks of `store`. One feed at a time uses `memory`.
  // Starts reading.
  BlockFeed(const CorpusStore& store, const DecodedBlocks& decoded, ReadMemory* memory)
      : BlockFeed(store, decoded, {.first = 0, .end = store.num_blocks()}, memory) {}
  // Of these blocks alone, which `store` must have.
  BlockFeed(const CorpusStore& store, const DecodedBlocks& decoded, const BlockRange& blocks,
            ReadMemory* memory);
  ~BlockFeed();
  BlockFeed(const BlockFeed&) = delete;
  BlockFeed& operator=(const BlockFeed&) = delete;

  // A block that nobody was given before, valid until `buffer` is used again; null at the end.
  // `buffer`: of the feed's memory, the calling thread's own.
  absl::StatusOr<const UnitBlock*> Next(Buffer* buffer);

 private:
  void ReadAhead();
  absl::StatusOr<const UnitBlock*> TakeReady(Buffer* buffer);

  // Constant after construction.
  const CorpusStore& store_;
  const DecodedBlocks& decoded_;
  ReadMemory& memory_;
  const int end_;          // of the blocks to be given out …
  const int decoded_end_;  // … and of those of them that are decoded

  std::mutex mutex_;
  // Guarded by mutex_:
  int next_decoded_;      // of decoded_, to be given out
  int next_unread_;       // of the file, to be read by whoever comes first
  bool reading_ = false;  // the feed's thread has a block that is not ready yet
  bool stopped_ = false;
  size_t first_ready_ = 0;
  size_t num_ready_ = 0;
  std::condition_variable arrived_;  // num_ready_ has grown
  std::condition_variable room_;     // num_ready_ has shrunk, or stopped_

  // num_ready_ blocks of memory_.ahead_ from first_ready_ on, in a circle, are ready, and what
  // became of each: guarded by mutex_. The one behind them is the feed's thread's alone while it
  // is reading_.
  std::array<absl::Status, kBlocksReadAhead> statuses_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_BLOCK_FEED_H_
