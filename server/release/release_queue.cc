#include "server/release/release_queue.h"

#include <utility>

namespace topicwall::release {

std::optional<ReleaseQueue::Place> ReleaseQueue::Enter() {
  absl::MutexLock lock(&mutex_);
  if (taken_ >= length_) return std::nullopt;
  ++taken_;
  return Place(this);
}

int64_t ReleaseQueue::WaitForTurn() {
  absl::MutexLock lock(&mutex_);
  const int64_t ticket = next_ticket_++;
  const auto has_turn = [this, ticket]()
                            ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return turn_ == ticket; };
  mutex_.Await(absl::Condition(&has_turn));
  return ticket;
}

void ReleaseQueue::Leave(std::optional<int64_t> ticket) {
  absl::MutexLock lock(&mutex_);
  --taken_;
  if (ticket.has_value()) turn_ = *ticket + 1;
}

ReleaseQueue::Place::Place(Place&& other) noexcept
    : queue_(std::exchange(other.queue_, nullptr)), ticket_(other.ticket_) {}

ReleaseQueue::Place::~Place() {
  if (queue_ != nullptr) queue_->Leave(ticket_);
}

}  // namespace topicwall::release
