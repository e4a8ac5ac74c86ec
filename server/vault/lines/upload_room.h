// How much may be on its way into the server at once: topics that are being received have no place
// in the queue yet, and no principal can fill the memory with uploads that do not get on.
//
//   std::optional<UploadRoom::Place> place = uploads.Enter("alice", bytes);  // none: UNAVAILABLE
//   ... receive, and enter the queue ...                                     // goes with its scope
//
// At most kUploadsOfOne of one principal, and `most_bytes` of all; both are public. One that is
// alone is let in whatever its size.
//
// A message of a request may be many times as long in memory as it was on the way, and how much is
// known only once it is there. So one at a time is, and holds `parsing` until it is used up.
//
// Privacy: PUBLIC. Threads: safe. A Place must not outlive the room.
#ifndef TOPICWALL_SERVER_VAULT_LINES_UPLOAD_ROOM_H_
#define TOPICWALL_SERVER_VAULT_LINES_UPLOAD_ROOM_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace topicwall::server {

inline constexpr int kUploadsOfOne = 2;

class UploadRoom {
 public:
  class Place;

  explicit UploadRoom(int64_t most_bytes) : most_bytes_(most_bytes) {}

  std::optional<Place> Enter(absl::string_view principal, int64_t bytes);
  absl::Mutex& parsing() { return parsing_; }

 private:
  void Leave(const std::string& principal, int64_t bytes);

  const int64_t most_bytes_;
  absl::Mutex parsing_;
  absl::Mutex mutex_;
  std::map<std::string, int> uploads_ ABSL_GUARDED_BY(mutex_);  // by principal
  int64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;                   // of all
};

class UploadRoom::Place {
 public:
  Place(Place&& other) noexcept
      : room_(std::exchange(other.room_, nullptr)),
        principal_(std::move(other.principal_)),
        bytes_(other.bytes_) {}
  Place& operator=(Place&&) = delete;
  ~Place() {
    if (room_ != nullptr) room_->Leave(principal_, bytes_);
  }

 private:
  friend class UploadRoom;
  Place(UploadRoom* room, std::string principal, int64_t bytes)
      : room_(room), principal_(std::move(principal)), bytes_(bytes) {}

  UploadRoom* room_;  // null once moved from
  std::string principal_;
  int64_t bytes_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_LINES_UPLOAD_ROOM_H_
