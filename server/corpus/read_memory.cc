#include "server/corpus/read_memory.h"

#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace topicwall::corpus {

ReadMemory::ReadMemory(const model::CorpusShape& corpus, int num_threads)
    : buffers_(static_cast<size_t>(num_threads)) {
  for (Buffer& buffer : buffers_) {
    buffer.block.Reserve(corpus);
    buffer.space.Reserve(corpus);
  }
  for (UnitBlock& block : ahead_) block.Reserve(corpus);
  space_ahead_.Reserve(corpus);
}

absl::StatusOr<ReadMemory> ReadMemory::Reserve(const model::CorpusShape& corpus, int num_threads) {
  if (num_threads < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_threads must be at least 1; got ", num_threads, ". Let one read."));
  }
  // The one moment at which want of memory may be told: after the charge it would show how large a
  // unit is.
  try {
    return ReadMemory(corpus, num_threads);
  } catch (const std::bad_alloc&) {
    return absl::UnavailableError(
        "not enough memory to read the corpus now; nothing is charged, try again later");
  }
}

int64_t ReadMemory::Bytes(const model::CorpusShape& corpus, int num_threads) {
  const int64_t block = UnitBlock::BytesReserved(corpus);
  const int64_t space = CorpusStore::ReadSpace::BytesReserved(corpus);
  return num_threads * (block + space) + static_cast<int64_t>(kBlocksReadAhead) * block + space;
}

}  // namespace topicwall::corpus
