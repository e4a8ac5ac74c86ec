// How many calls of one principal run at once, over all of their connections.
//
//   std::optional<CallPlaces::Place> place = places.Take("alice");   // none: UNAVAILABLE
//
// A running call holds a thread, a slow reader of a release for as long as they like. So that one
// principal cannot hold all threads, each has a part of them: kThreads over the number of
// principals, within [kFewest, kMost].
//
// PUBLIC: depends on requests alone. Threads: any. A Place must not outlive the object.
#ifndef TOPICWALL_SERVER_ACCESS_CALL_PLACES_H_
#define TOPICWALL_SERVER_ACCESS_CALL_PLACES_H_

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace topicwall::server {

class CallPlaces {
 public:
  // Threads that gRPC may have for calls; beyond, it answers RESOURCE_EXHAUSTED.
  static constexpr int kThreads = 1024;
  static constexpr int kFewest = 16;
  static constexpr int kMost = 96;

  class Place {
   public:
    Place(Place&& other) noexcept
        : places_(std::exchange(other.places_, nullptr)), principal_(std::move(other.principal_)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (places_ != nullptr) places_->Leave(principal_);
    }

   private:
    friend class CallPlaces;
    Place(CallPlaces* places, std::string principal)
        : places_(places), principal_(std::move(principal)) {}
    CallPlaces* places_;  // null once moved from
    std::string principal_;
  };

  explicit CallPlaces(int num_principals)
      : of_principal_(std::clamp(kThreads / std::max(1, num_principals), kFewest, kMost)) {}

  int of_principal() const { return of_principal_; }

  // A place, or none if the principal has all of theirs.
  std::optional<Place> Take(absl::string_view principal) {
    absl::MutexLock lock(&mutex_);
    int& taken = taken_[std::string(principal)];
    if (taken >= of_principal_) return std::nullopt;
    ++taken;
    return Place(this, std::string(principal));
  }

 private:
  void Leave(const std::string& principal) {
    absl::MutexLock lock(&mutex_);
    --taken_[principal];
  }

  const int of_principal_;
  absl::Mutex mutex_;
  std::map<std::string, int> taken_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_ACCESS_CALL_PLACES_H_
