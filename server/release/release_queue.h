// One release of a corpus is computed at a time; a bounded number may wait.
//
//   std::optional<ReleaseQueue::Place> place = queue.Enter();  // none: full, UNAVAILABLE
//   ... receive the topics, into this place's memory only ...
//   place->WaitForTurn();                                      // in the order of asking
//   ... charge, compute, wait for the instant, publish ...     // the place goes with its scope
//
// The turn lasts until the release's instant has come, not only until it is computed:
// so the time of the next charge is a function of public times too, and says nothing
// about how long this release took. Who is slow to send its topics holds a place, but
// nobody's turn.
//
// Privacy: PUBLIC; the length of the queue depends on requests alone.
// Threads: safe. A Place belongs to one thread and must not outlive the queue.
#ifndef TOPICWALL_SERVER_RELEASE_RELEASE_QUEUE_H_
#define TOPICWALL_SERVER_RELEASE_RELEASE_QUEUE_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace topicwall::release {

class ReleaseQueue {
 public:
  class Place;

  // length >= 1: places, the running one included.
  explicit ReleaseQueue(int length) : length_(length) {}

  // A place, or none if all are taken.
  std::optional<Place> Enter();

 private:
  int64_t WaitForTurn();
  void Leave(std::optional<int64_t> ticket);

  const int length_;
  absl::Mutex mutex_;
  int taken_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t next_ticket_ ABSL_GUARDED_BY(mutex_) = 0;  // of the next who asks for a turn
  int64_t turn_ ABSL_GUARDED_BY(mutex_) = 0;         // the ticket that has it
};

class ReleaseQueue::Place {
 public:
  Place(Place&& other) noexcept;
  Place& operator=(Place&&) = delete;
  ~Place();

  // Returns when everyone who asked before has left. Once only.
  void WaitForTurn() { ticket_ = queue_->WaitForTurn(); }

 private:
  friend class ReleaseQueue;
  explicit Place(ReleaseQueue* queue) : queue_(queue) {}

  ReleaseQueue* queue_;            // null once moved from
  std::optional<int64_t> ticket_;  // none before the turn was asked for
};

}  // namespace topicwall::release

#endif  // TOPICWALL_SERVER_RELEASE_RELEASE_QUEUE_H_
