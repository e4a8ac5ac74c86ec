// One release is computed at a time, of all corpora; a bounded number may wait, and takes turns by
// who asks.
//
//   ... receive the topics ...
//   std::optional<ReleaseQueue::Place> place =
//       queue.Enter({.corpus = "notes", .length = 8, .principal = "alice"});  // none: UNAVAILABLE
//   if (!place->WaitForTurn()) ...                        // false: the server is going down
//   ... charge, compute, wait for the instant, publish ...  // the place goes with its scope
//
// A corpus has a public number of places, the running one included; one principal holds at most
// half of them, but one. Turns go round the principals that wait, and within one by the order of
// asking: so whoever waits alone waits for at most one release of each other principal.
//
// The turn lasts until the release's instant has come, not only until it is computed:
// so the time of the next charge is a function of public times too, and says nothing
// about how long this release took.
//
// Privacy: PUBLIC; who waits, and how long, depends on requests and instants alone.
// Threads: safe. A Place belongs to one thread and must not outlive the queue.
#ifndef TOPICWALL_SERVER_RELEASE_RELEASE_QUEUE_H_
#define TOPICWALL_SERVER_RELEASE_RELEASE_QUEUE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace topicwall::release {

class ReleaseQueue {
 public:
  class Place;

  struct Entrant {
    std::string corpus;
    int length;  // >= 1: places of the corpus
    std::string principal;
  };

  // A place, or none if all are taken, of the corpus or of the principal's half.
  std::optional<Place> Enter(const Entrant& entrant);

  // Nobody gets a turn any more, who waits no longer does: the server is going down.
  void Close();
  // Whether somebody has the turn.
  bool IsTaken();

 private:
  using Holder = std::pair<std::string, std::string>;  // corpus, principal

  std::optional<int64_t> WaitForTurn(const std::string& principal);
  void Leave(const Holder& holder, std::optional<int64_t> ticket);
  void GiveTurn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  std::map<Holder, int> taken_ ABSL_GUARDED_BY(mutex_);  // places
  // Tickets of those who wait for their turn, by principal; no empty ones.
  std::map<std::string, std::deque<int64_t>> waiting_ ABSL_GUARDED_BY(mutex_);
  int64_t next_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<int64_t> turn_ ABSL_GUARDED_BY(mutex_);  // the ticket that has it
  std::string last_principal_ ABSL_GUARDED_BY(mutex_);   // that had it
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

class ReleaseQueue::Place {
 public:
  Place(Place&& other) noexcept;
  Place& operator=(Place&&) = delete;
  ~Place();

  // Returns when it is this place's turn; false, without one, once the queue is closed. Once only.
  bool WaitForTurn() {
    ticket_ = queue_->WaitForTurn(holder_.second);
    return ticket_.has_value();
  }

 private:
  friend class ReleaseQueue;
  Place(ReleaseQueue* queue, Holder holder) : queue_(queue), holder_(std::move(holder)) {}

  ReleaseQueue* queue_;  // null once moved from
  Holder holder_;
  std::optional<int64_t> ticket_;  // none before it had its turn
};

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_RELEASE_QUEUE_H_
