#include "server/corpus/decoded_blocks.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::corpus {

absl::StatusOr<DecodedBlocks> DecodedBlocks::Fill(const CorpusStore& store, int64_t max_bytes) {
  if (max_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat("max_bytes must be at least 0; got ", max_bytes,
                                                   ". 0 keeps nothing in memory."));
  }
  DecodedBlocks decoded;
  UnitBlock block;
  CorpusStore::ReadSpace space;
  for (int number = 0; number < store.num_blocks() && decoded.bytes_ < max_bytes; ++number) {
    TW_RETURN_IF_ERROR(store.ReadBlock(number, &block, &space));
    // The first that does not fit is the end, although a smaller one may follow: block n is found
    // at place n.
    if (block.BytesOfACopy() > max_bytes - decoded.bytes_) break;
    decoded.blocks_.push_back(block);  // a copy: `block` may have room for more than it holds
    decoded.bytes_ += block.BytesOfACopy();
  }
  return decoded;
}

}  // namespace topicwall::corpus
