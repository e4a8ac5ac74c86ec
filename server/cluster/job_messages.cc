#include "server/cluster/job_messages.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/little_endian.h"
#include "base/status_macros.h"
#include "base/threads/steady_wait.h"

namespace topicwall::cluster {
namespace {

constexpr size_t kLengthBytes = 8;
// How soon it is seen that nobody waits any more.
constexpr int kLookMs = 20;

absl::Status Lost() {
  return absl::UnavailableError("the connection between the vault and its job is lost");
}

absl::Status Await(int socket, int16_t event, const Patience& patience) {
  for (;;) {
    if (patience.abandoned != nullptr && *patience.abandoned) {
      return absl::CancelledError("the release was abandoned");
    }
    if (base::SteadyNow() >= patience.until) {
      return absl::UnavailableError(
          "the job did not go on in time and was hung up on; look for a rank that stands still");
    }
    pollfd ready = {.fd = socket, .events = event, .revents = 0};
    const int events = poll(&ready, 1, patience.ends() ? kLookMs : -1);
    if (events > 0) return absl::OkStatus();
    if (events < 0 && errno != EINTR) return Lost();
  }
}

// As much at a time as the socket takes, so that who stands still is seen at this end, too.
absl::Status Send(int socket, absl::string_view bytes, const Patience& patience) {
  while (!bytes.empty()) {
    TW_RETURN_IF_ERROR(Await(socket, POLLOUT, patience));
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EINTR && errno != EAGAIN) return Lost();
    if (sent > 0) bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return absl::OkStatus();
}

absl::Status Receive(int socket, char* bytes, size_t size, const Patience& patience) {
  while (size > 0) {
    // Before every piece: a job may stop in the middle of a sum of gigabytes.
    TW_RETURN_IF_ERROR(Await(socket, POLLIN, patience));
    const absl::StatusOr<size_t> got = base::ReceiveSome(socket, bytes, size);
    if (!got.ok() || *got == 0) return Lost();
    bytes += *got;
    size -= *got;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SendMessage(int socket, absl::string_view bytes, const Patience& patience) {
  const std::array<char, kLengthBytes> length = base::LittleEndian(uint64_t{bytes.size()});
  TW_RETURN_IF_ERROR(Send(socket, absl::string_view(length.data(), length.size()), patience));
  return Send(socket, bytes, patience);
}

// The length is believed only after it was bounded.
absl::StatusOr<std::string> ReceiveMessage(int socket, int64_t most_bytes,
                                           const Patience& patience) {
  std::array<char, kLengthBytes> prefix;
  TW_RETURN_IF_ERROR(Receive(socket, prefix.data(), prefix.size(), patience));
  const auto length = base::FromLittleEndian<uint64_t>({prefix.data(), prefix.size()});
  if (length > static_cast<uint64_t>(most_bytes)) {
    return absl::UnavailableError(absl::StrCat("a message of the job has at most ", most_bytes,
                                               " bytes; got one of ", length));
  }
  std::string bytes(length, '\0');
  TW_RETURN_IF_ERROR(Receive(socket, bytes.data(), bytes.size(), patience));
  return bytes;
}

}  // namespace topicwall::cluster
