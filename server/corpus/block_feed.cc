// A block comes from one of three places: read ahead by the feed's thread, decoded in memory, or
// read by whoever asks. Every number is taken once, under the mutex, by the one who will bring that
// block; so each is given out once, and one that cannot be read is told of once.
//
// Next prefers what is ready, since the feed's thread waits for room; then what is decoded, which
// costs nothing; then its own reading. It waits only where no block is left to begin and the feed's
// thread still has one: that may be the last, and it may be this thread's.
#include "server/corpus/block_feed.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"

namespace topicwall::corpus {

BlockFeed::BlockFeed(const CorpusStore& store, const DecodedBlocks& decoded,
                     const BlockRange& blocks, ReadMemory* memory)
    : store_(store),
      decoded_(decoded),
      memory_(*memory),
      end_(blocks.end),
      decoded_end_(std::min(blocks.end, decoded.size())),
      next_decoded_(blocks.first),
      // Decoded are the first blocks of the corpus, so what is to be read begins behind them.
      next_unread_(std::max(blocks.first, decoded.size())) {
  if (next_unread_ >= end_) return;
  try {
    thread_ = std::thread([this] { ReadAhead(); });
  } catch (const std::system_error&) {
    // The machine has no more threads: those that work read for themselves.
  }
}

BlockFeed::~BlockFeed() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  room_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BlockFeed::ReadAhead() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    room_.wait(lock, [this] { return stopped_ || num_ready_ < kBlocksReadAhead; });
    if (stopped_ || next_unread_ >= end_) return;
    const int number = next_unread_++;
    // Others may take blocks while this one is read: each adds one to first_ready_ and takes one
    // from num_ready_, so the place behind the last ready block stays the same, and nobody else
    // touches it.
    const size_t place = (first_ready_ + num_ready_) % kBlocksReadAhead;
    reading_ = true;
    lock.unlock();
    absl::Status status;
    try {
      status = store_.ReadBlock(number, &memory_.ahead_[place], &memory_.space_ahead_);
    } catch (...) {  // no memory for a message: this one has none
      status = absl::Status(absl::StatusCode::kUnavailable, "");
    }
    lock.lock();
    statuses_[place] = std::move(status);
    reading_ = false;
    ++num_ready_;
    // All of them: behind the last block everybody who waits has to see that there will be no more.
    arrived_.notify_all();
  }
}

absl::StatusOr<const UnitBlock*> BlockFeed::Next(Buffer* buffer) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (num_ready_ == 0) {
    if (next_decoded_ < decoded_end_) return &decoded_.block(next_decoded_++);
    if (next_unread_ < end_) {
      const int number = next_unread_++;
      lock.unlock();
      TW_RETURN_IF_ERROR(store_.ReadBlock(number, &buffer->block, &buffer->space));
      return &buffer->block;
    }
    // Nothing is ready, nothing is left to begin, nobody has any: the end.
    if (!reading_) return nullptr;
    arrived_.wait(lock);
  }
  return TakeReady(buffer);
}

// With mutex_ held and a slot ready. The buffer's old memory goes back into the circle.
absl::StatusOr<const UnitBlock*> BlockFeed::TakeReady(Buffer* buffer) {
  std::swap(buffer->block, memory_.ahead_[first_ready_]);
  absl::Status status = std::exchange(statuses_[first_ready_], absl::OkStatus());
  first_ready_ = (first_ready_ + 1) % kBlocksReadAhead;
  --num_ready_;
  room_.notify_one();
  if (!status.ok()) return status;
  return &buffer->block;
}

}  // namespace topicwall::corpus
