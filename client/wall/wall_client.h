// The wall over gRPC, by the channel of wall_channel.h: the one pair of files here that speaks it.
//
// Waiting. A query is given one minute and about four seconds of retries. An E-step is given
// three hours (the longest release interval is one) and ten minutes of retries, because a
// full queue is UNAVAILABLE and empties by itself. A lost connection is noticed by keepalive.
// A retry after a charge finds the stored release: nothing is paid twice (wall_port.h). Whoever
// waits may stop.
//
// Errors: as WallPort; UNAVAILABLE also for a failed handshake, which TLS does not let a
// caller tell from an absent server. INTERNAL if the answer is not what the protocol says.
#ifndef TOPICWALL_CLIENT_WALL_WALL_CLIENT_H_
#define TOPICWALL_CLIENT_WALL_WALL_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/wall/profile.h"
#include "client/wall/wall_port.h"
#include "proto/ledger_chain.h"

namespace topicwall::client {

struct WallConnection {
  std::string server;  // HOST:PORT
  Credentials credentials;
  // Told before each wait for another try; may be empty.
  std::function<void(const absl::Status&)> on_wait;
  // Asked during such a wait; may be empty. CANCELLED then.
  std::function<bool()> should_stop = {};
  // Given what ends a call that is under way, from any thread, and nothing once it is over; may be
  // empty. A call that was so ended is sent again, as one that a server ended is, unless it is to
  // stop.
  std::function<void(std::function<void()> end)> on_call = {};
  // That a vocabulary, a chain or a list of plans may take.
  int64_t most_bytes = proto::kMostChainBytes;
};

// Makes the channel; the first call connects. INVALID_ARGUMENT if the PEM texts cannot be used.
absl::StatusOr<std::unique_ptr<WallPort>> ConnectWall(const WallConnection& params);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_WALL_CLIENT_H_
