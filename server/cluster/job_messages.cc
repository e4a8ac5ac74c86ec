#include "server/cluster/job_messages.h"

#include <poll.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/little_endian.h"
#include "base/socket_bytes.h"
#include "base/status_macros.h"

namespace topicwall::cluster {
namespace {

constexpr size_t kLengthBytes = 8;
// How soon it is seen that nobody waits any more.
constexpr int kLookMs = 20;

absl::Status Lost() {
  return absl::UnavailableError("the connection between the vault and its job is lost");
}

absl::Status AwaitReadable(int socket, const std::atomic<bool>* abandoned) {
  while (abandoned != nullptr) {
    if (*abandoned) return absl::CancelledError("the release was abandoned");
    pollfd readable = {.fd = socket, .events = POLLIN, .revents = 0};
    const int ready = poll(&readable, 1, kLookMs);
    if (ready > 0) break;
    if (ready < 0 && errno != EINTR) return Lost();
  }
  return absl::OkStatus();
}

absl::Status Receive(int socket, char* bytes, size_t size, const std::atomic<bool>* abandoned) {
  while (size > 0) {
    // Before every piece: a job may stop in the middle of a sum of gigabytes.
    TW_RETURN_IF_ERROR(AwaitReadable(socket, abandoned));
    const absl::StatusOr<size_t> got = base::ReceiveSome(socket, bytes, size);
    if (!got.ok() || *got == 0) return Lost();
    bytes += *got;
    size -= *got;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SendMessage(int socket, absl::string_view bytes) {
  const std::array<char, kLengthBytes> length = base::LittleEndian(uint64_t{bytes.size()});
  const bool sent = base::SendAll(socket, absl::string_view(length.data(), length.size())) &&
                    base::SendAll(socket, bytes);
  return sent ? absl::OkStatus() : Lost();
}

// The length is believed only after it was bounded.
absl::StatusOr<std::string> ReceiveMessage(int socket, int64_t most_bytes,
                                           const std::atomic<bool>* abandoned) {
  std::array<char, kLengthBytes> prefix;
  TW_RETURN_IF_ERROR(Receive(socket, prefix.data(), prefix.size(), abandoned));
  const auto length = base::FromLittleEndian<uint64_t>({prefix.data(), prefix.size()});
  if (length > static_cast<uint64_t>(most_bytes)) {
    return absl::UnavailableError(absl::StrCat("a message of the job has at most ", most_bytes,
                                               " bytes; got one of ", length));
  }
  std::string bytes(length, '\0');
  TW_RETURN_IF_ERROR(Receive(socket, bytes.data(), bytes.size(), abandoned));
  return bytes;
}

}  // namespace topicwall::cluster
