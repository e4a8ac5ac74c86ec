#include "server/corpus/block_feed.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace topicwall::corpus {

BlockFeed::BlockFeed(const CorpusStore& store, const DecodedBlocks& decoded,
                     const BlockRange& blocks, ReadMemory* memory)
    : store_(store),
      decoded_(decoded),
      memory_(*memory),
      end_(blocks.end),
      decoded_end_(std::min(blocks.end, decoded.size())),
      next_decoded_(blocks.first),
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
      absl::Status status = store_.ReadBlock(number, &buffer->block, &buffer->space);
      if (!status.ok()) return status;
      return &buffer->block;
    }
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
