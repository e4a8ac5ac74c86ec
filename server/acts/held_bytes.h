// How much memory the other side makes this one hold, counted for as long as it is held.
//
//   const Held held(all, bytes);
//   if (!held.has_room()) return HoldsTooMuch();
//
// PUBLIC. Threads: any.
#ifndef TOPICWALL_SERVER_ACTS_HELD_BYTES_H_
#define TOPICWALL_SERVER_ACTS_HELD_BYTES_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"

namespace topicwall::acts {

// What many acts may take together of memory that the other side asks for.
struct HeldBytes {
  const int64_t most;
  std::atomic<int64_t> now = 0;
};

// `bytes` of them, for as long as this lives. Taken whether or not there is room, so that of two
// that come at once neither overlooks the other: without room, what they are for goes at once.
class Held {
 public:
  Held(HeldBytes& all, int64_t bytes)
      : all_(all), bytes_(bytes), has_room_((all.now += bytes) <= all.most) {}
  ~Held() { all_.now -= bytes_; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  bool has_room() const { return has_room_; }

 private:
  HeldBytes& all_;
  const int64_t bytes_;
  const bool has_room_;
};

// What is told where there is none.
inline absl::Status HoldsTooMuch() {
  return absl::ResourceExhaustedError(
      "the server holds as many messages as it may; try again later");
}

}  // namespace topicwall::acts

#endif  // TOPICWALL_SERVER_ACTS_HELD_BYTES_H_
