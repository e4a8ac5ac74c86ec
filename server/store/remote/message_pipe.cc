#include "server/store/remote/message_pipe.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/little_endian.h"
#include "base/status_macros.h"
#include "base/threads/steady_wait.h"

namespace topicwall::store {
namespace {

constexpr size_t kLengthBytes = 4;
// A peer that announces a gigabyte and sends nothing of it costs this much.
constexpr size_t kPiece = size_t{1} << 20;

bool IsReadableUntil(int socket, absl::Duration until) {
  for (;;) {
    // In pieces: neither for ever nor a year is a timeout of poll's.
    const absl::Duration left = std::min(until - base::SteadyNow(), absl::Hours(1));
    const int64_t timeout_ms =
        std::max<int64_t>(absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1))), 0);
    pollfd readable = {.fd = socket, .events = POLLIN, .revents = 0};
    const int events = poll(&readable, 1, static_cast<int>(timeout_ms));
    if (events > 0 || (events < 0 && errno != EINTR)) return true;
    if (events == 0 && base::SteadyNow() >= until) return false;
  }
}

// Appends `size` bytes, or as many as came before the peer closed.
absl::Status ReceiveBytes(int socket, size_t size, absl::Duration until, std::string* bytes) {
  const size_t end = bytes->size() + size;
  while (bytes->size() < end) {
    const size_t have = bytes->size();
    // Before every piece: a peer may stop at any byte.
    if (!IsReadableUntil(socket, until)) {
      return absl::DeadlineExceededError("the peer has stopped within a message");
    }
    bytes->resize(have + std::min(kPiece, end - have));
    TW_ASSIGN_OR_RETURN(const size_t got,
                        base::ReceiveSome(socket, bytes->data() + have, bytes->size() - have));
    if (got == 0) return absl::OutOfRangeError("the peer has closed the pipe");
    bytes->resize(have + got);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MessagePipe::Send(const google::protobuf::MessageLite& message) {
  const size_t length = message.ByteSizeLong();
  // A receiver would hang up on more.
  if (length > size_t{kMostBytes}) {
    return absl::InvalidArgumentError(absl::StrCat("a message of ", length, " bytes is too long"));
  }
  std::string bytes;
  base::AppendLittleEndian(static_cast<uint32_t>(length), &bytes);
  message.AppendToString(&bytes);
  if (base::SendAll(socket_.get(), bytes)) return absl::OkStatus();
  return absl::UnavailableError("the pipe is lost");
}

bool MessagePipe::IsReadable(absl::Duration at_most) const {
  return IsReadableUntil(socket_.get(), base::SteadyNow() + at_most);
}

absl::Status MessagePipe::Receive(int64_t most_bytes, google::protobuf::MessageLite* message,
                                  absl::Duration at_most) {
  const absl::Duration until = base::SteadyNow() + at_most;
  std::string prefix;
  // An end within the length counts as one before it: nothing of a message was there.
  TW_RETURN_IF_ERROR(ReceiveBytes(socket_.get(), kLengthBytes, until, &prefix));
  const int64_t length = base::FromLittleEndian<uint32_t>(prefix);
  if (!(length <= most_bytes)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a message has at most ", most_bytes, " bytes; got one of ", length));
  }
  std::string bytes;
  // Otherwise half a message would look like a peer that was done.
  const absl::Status received =
      ReceiveBytes(socket_.get(), static_cast<size_t>(length), until, &bytes);
  if (absl::IsOutOfRange(received)) return absl::UnavailableError("the end within a message");
  TW_RETURN_IF_ERROR(received);
  if (message->ParseFromString(bytes)) return absl::OkStatus();
  return absl::InvalidArgumentError("bytes that are no message");
}

}  // namespace topicwall::store
