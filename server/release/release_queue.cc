// A place is taken when the parameters are there, and a turn before the charge. So whoever sends
// slowly holds up nobody, and nobody is charged for a release that then waits for another's.
#include "server/release/release_queue.h"

#include <algorithm>
#include <utility>

namespace topicwall::release {

// Half of the places at most: whoever fills their own half keeps nobody out alone.
std::optional<ReleaseQueue::Place> ReleaseQueue::Enter(const Entrant& entrant) {
  absl::MutexLock lock(&mutex_);
  int of_corpus = 0;
  for (const auto& [holder, places] : taken_) {
    if (holder.first == entrant.corpus) of_corpus += places;
  }
  const Holder holder(entrant.corpus, entrant.principal);
  const auto own = taken_.find(holder);
  const int own_places = own == taken_.end() ? 0 : own->second;
  if (of_corpus >= entrant.length || own_places >= std::max(1, entrant.length / 2)) {
    return std::nullopt;
  }
  ++taken_[holder];
  return Place(this, holder);
}

void ReleaseQueue::Close() {
  absl::MutexLock lock(&mutex_);
  closed_ = true;
}

bool ReleaseQueue::IsTaken() {
  absl::MutexLock lock(&mutex_);
  return turn_.has_value();
}

std::optional<int64_t> ReleaseQueue::WaitForTurn(const std::string& principal) {
  absl::MutexLock lock(&mutex_);
  const int64_t ticket = next_ticket_++;
  waiting_[principal].push_back(ticket);
  if (!turn_.has_value()) GiveTurn();
  const auto has_turn_or_never_will = [this, ticket]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return closed_ || turn_ == ticket;
  };
  mutex_.Await(absl::Condition(&has_turn_or_never_will));
  if (closed_) return std::nullopt;  // nobody looks at tickets any more
  return ticket;
}

// To the first who waits of the principal after the one that had it last, in their circle.
// The circle is the principals' names in order, and goes on after whoever had the last turn,
// waiting or not: a principal who always has many requests in the line gets one turn a round.
void ReleaseQueue::GiveTurn() {
  turn_.reset();
  if (closed_ || waiting_.empty()) return;
  auto next = waiting_.upper_bound(last_principal_);
  if (next == waiting_.end()) next = waiting_.begin();
  turn_ = next->second.front();
  last_principal_ = next->first;
  next->second.pop_front();
  if (next->second.empty()) waiting_.erase(next);
}

void ReleaseQueue::Leave(const Holder& holder, std::optional<int64_t> ticket) {
  absl::MutexLock lock(&mutex_);
  const auto taken = taken_.find(holder);
  if (--taken->second == 0) taken_.erase(taken);
  // Whoever leaves without a turn has none to hand on.
  if (ticket.has_value()) GiveTurn();
}

ReleaseQueue::Place::Place(Place&& other) noexcept
    : queue_(std::exchange(other.queue_, nullptr)),
      holder_(std::move(other.holder_)),
      ticket_(other.ticket_) {}

ReleaseQueue::Place::~Place() {
  if (queue_ != nullptr) queue_->Leave(holder_, ticket_);
}

}  // namespace topicwall::release
