// All bytes of something, over a stream socket that blocks.
//
//   if (!SendAll(socket, bytes)) …                                      // the peer has gone
//   TW_ASSIGN_OR_RETURN(size_t got, ReceiveAll(socket, bytes, size));   // fewer: it has closed
//
// Nothing that a peer does or fails to do ends the process (no SIGPIPE), and a descriptor that it
// passes along is never received: the kernel drops it. Threads: as the socket.
#ifndef TOPICWALL_BASE_SOCKET_BYTES_H_
#define TOPICWALL_BASE_SOCKET_BYTES_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::base {

// False if the socket fails: part of `bytes` may be out.
bool SendAll(int socket, absl::string_view bytes);

// Some bytes, at most `size` > 0 of them; 0 once the peer has closed. UNAVAILABLE if the socket
// fails.
absl::StatusOr<size_t> ReceiveSome(int socket, char* bytes, size_t size);

// How many of `size` came before the peer closed. Errors as above.
absl::StatusOr<size_t> ReceiveAll(int socket, char* bytes, size_t size);

}  // namespace topicwall::base

#endif  // TOPICWALL_BASE_SOCKET_BYTES_H_
