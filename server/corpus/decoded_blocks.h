// Blocks of a corpus that stay decoded in memory, so that no release has to read, unseal and
// parse them again: as many of the first ones as fit into what the custodian allows.
//
//   TW_ASSIGN_OR_RETURN(DecodedBlocks decoded, DecodedBlocks::Fill(*store, int64_t{512} << 20));
//   for (int b = 0; b < decoded.size(); ++b) Use(decoded.block(b));
//
// Which blocks are kept never changes: every release reads all blocks in the same order, and a
// cache that replaces the oldest block by the newest would then never hold the one asked for.
//
// Filled once, from blocks that were unsealed and checked like any other; what happens to the
// file afterwards does not reach them. Freed with the object.
//
// Bound: bytes() <= max_bytes, counting everything a block takes but the allocator's own
// headers (some 64 bytes a block of typically 60 KB).
// Privacy: PRIVATE, and in the clear in the server's memory for as long as it lives, where
// without it only a few blocks are at a time. The custodian weighs that against the time of a
// release; the releases themselves are the same bits either way.
// Threads: const after Fill; any number of readers.
// Cost: one read of the blocks that are kept.
#ifndef TOPICWALL_SERVER_CORPUS_DECODED_BLOCKS_H_
#define TOPICWALL_SERVER_CORPUS_DECODED_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "absl/status/statusor.h"
#include "server/corpus/corpus_store.h"
#include "server/corpus/unit_block.h"

namespace topicwall::corpus {

class DecodedBlocks {
 public:
  // None.
  DecodedBlocks() = default;
  DecodedBlocks(DecodedBlocks&&) = default;
  DecodedBlocks& operator=(DecodedBlocks&&) = default;

  // Blocks 0, 1, … of `store`, up to the first that does not fit. INVALID_ARGUMENT for a
  // negative bound; DATA_LOSS as of CorpusStore::ReadBlock.
  static absl::StatusOr<DecodedBlocks> Fill(const CorpusStore& store, int64_t max_bytes);

  int size() const { return static_cast<int>(blocks_.size()); }
  // Block `number` of the corpus, 0 <= number < size().
  const UnitBlock& block(int number) const { return blocks_[static_cast<size_t>(number)]; }
  int64_t bytes() const { return bytes_; }

 private:
  std::deque<UnitBlock> blocks_;
  int64_t bytes_ = 0;
};

}  // namespace topicwall::corpus

#endif  // TOPICWALL_SERVER_CORPUS_DECODED_BLOCKS_H_
