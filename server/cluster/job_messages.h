// Messages between the vault and the job that sums for it, over a connected Unix stream socket.
//
//   TW_RETURN_IF_ERROR(SendMessage(socket, order.SerializeAsString()));
//   TW_ASSIGN_OR_RETURN(std::string answer, ReceiveMessage(socket, kMostAnswerBytes));
//
// On the wire: the length, 8 bytes, little-endian, then so many bytes. Longer than acts' frames
// (server/acts/frame_connection.h) allow: a sum is one message.
//
// Errors: UNAVAILABLE if the connection is lost, ends, nobody waits any longer, or the message is
// longer than allowed; CANCELLED if it was abandoned: it is then of no more use.
// Privacy: PRIVATE. Threads: one at a time. Blocks.
#ifndef TOPICWALL_SERVER_CLUSTER_JOB_MESSAGES_H_
#define TOPICWALL_SERVER_CLUSTER_JOB_MESSAGES_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace topicwall::cluster {

// How long whoever is at the other end is waited for: for ever, unless something is said.
struct Patience {
  const std::atomic<bool>* abandoned = nullptr;     // until it is set
  absl::Duration until = absl::InfiniteDuration();  // by SteadyNow

  bool ends() const { return abandoned != nullptr || until != absl::InfiniteDuration(); }
};

absl::Status SendMessage(int socket, absl::string_view bytes, const Patience& patience = {});

absl::StatusOr<std::string> ReceiveMessage(int socket, int64_t most_bytes,
                                           const Patience& patience = {});

}  // namespace topicwall::cluster

#endif  // TOPICWALL_SERVER_CLUSTER_JOB_MESSAGES_H_
