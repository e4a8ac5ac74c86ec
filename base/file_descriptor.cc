#include "base/file_descriptor.h"

#include <sys/socket.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace topicwall::base {

bool SendAll(int socket, absl::string_view bytes) {
  while (!bytes.empty()) {
    // No SIGPIPE: that the other end died is for the caller to handle.
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// Plain recv: a passed descriptor is dropped.
absl::StatusOr<size_t> ReceiveSome(int socket, char* bytes, size_t size) {
  for (;;) {
    const ssize_t got = recv(socket, bytes, size, 0);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) return absl::UnavailableError(absl::StrCat("recv: error ", errno));
  }
}

absl::StatusOr<size_t> ReceiveAll(int socket, char* bytes, size_t size) {
  size_t have = 0;
  while (have < size) {
    TW_ASSIGN_OR_RETURN(const size_t got, ReceiveSome(socket, bytes + have, size - have));
    // The other end is done: fewer bytes than were asked for tell the caller.
    if (got == 0) break;
    have += got;
  }
  return have;
}

}  // namespace topicwall::base
