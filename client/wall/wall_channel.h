// The channel to a wall: mutual TLS, always.
//
// The server must be signed by the profile's CA for the host that is dialled, the caller shows its
// certificate; there is no way to ask for plaintext. Connects with the first call. A lost
// connection is noticed by keepalive. An answer that is compressed is refused (UNIMPLEMENTED), not
// inflated. Threads: any.
#ifndef TOPICWALL_CLIENT_WALL_WALL_CHANNEL_H_
#define TOPICWALL_CLIENT_WALL_WALL_CHANNEL_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "client/wall/profile.h"

namespace grpc {
class Channel;
}  // namespace grpc

namespace topicwall::client {

// INVALID_ARGUMENT if one of the three texts is empty.
absl::Status CheckComplete(const Credentials& credentials);

// gRPC goes by grpc_proxy, https_proxy or http_proxy, the first of the environment's that is set.
// For an error of a wall that does not answer: "" if none is, else a sentence that names it.
std::string ProxySentence();

std::shared_ptr<grpc::Channel> MakeChannel(const std::string& server,
                                           const Credentials& credentials);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_WALL_CHANNEL_H_
