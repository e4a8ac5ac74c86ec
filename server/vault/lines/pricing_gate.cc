#include "server/vault/lines/pricing_gate.h"

#include <algorithm>

#include "absl/time/time.h"

namespace topicwall::server {
namespace {

absl::Status LineIsFull() {
  return absl::UnavailableError(
      "too many prices are being worked out at once; nothing was changed, try again");
}

}  // namespace

absl::Status StillWanted(const Cancelled& cancelled) {
  return cancelled() ? absl::CancelledError("the client went away") : absl::OkStatus();
}

int64_t PricingGate::LastTurnOf(const std::string& principal) const {
  const auto found = last_turn_.find(principal);
  return found == last_turn_.end() ? 0 : found->second;
}

// The line is oldest first and min_element gives the first of equals: so of one principal, and of
// those who never had a turn, the oldest call is next.
bool PricingGate::IsNext(int64_t ticket) const {
  if (taken_) return false;
  const auto next = std::min_element(
      line_.begin(), line_.end(), [this](const Waiting& one, const Waiting& other) {
        // Said again for clang's analysis of locks, which looks at a lambda by itself.
        mutex_.AssertHeld();
        return LastTurnOf(one.principal) < LastTurnOf(other.principal);
      });
  return next != line_.end() && next->ticket == ticket;
}

// Nobody can wake this when a client goes away, hence the look every kLookMs. Whoever leaves the
// line, for whatever reason, takes their own ticket out of it.
absl::StatusOr<PricingGate::Turn> PricingGate::Enter(absl::string_view principal,
                                                     const Cancelled& cancelled) {
  absl::MutexLock lock(&mutex_);
  const auto own = std::count_if(line_.begin(), line_.end(), [&](const Waiting& waiting) {
    return waiting.principal == principal;
  });
  if (closed_ || own >= kWaitingOfPrincipal || line_.size() >= kWaiting) return LineIsFull();
  const int64_t ticket = ++tickets_;
  line_.push_back({.principal = std::string(principal), .ticket = ticket});
  absl::Status wanted;
  while (wanted.ok() && !closed_ && !IsNext(ticket)) {
    moved_.WaitFor(&mutex_, absl::Milliseconds(kLookMs));
    if (!closed_ && !IsNext(ticket)) wanted = StillWanted(cancelled);
  }
  line_.remove_if([&](const Waiting& waiting) { return waiting.ticket == ticket; });
  moved_.SignalAll();
  // To the caller a server that ends is like one that is full: the same call, later.
  if (closed_) return LineIsFull();
  if (!wanted.ok()) return wanted;
  taken_ = true;
  last_turn_[std::string(principal)] = ++turns_;
  return Turn(this);
}

void PricingGate::Leave() {
  absl::MutexLock lock(&mutex_);
  taken_ = false;
  moved_.SignalAll();
}

void PricingGate::Close() {
  absl::MutexLock lock(&mutex_);
  closed_ = true;
  moved_.SignalAll();
}

}  // namespace topicwall::server
