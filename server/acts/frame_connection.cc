// Both processes have this code on both sides of a line that one of them may use against the other.
// So the length is believed only after it was bounded, bytes only after they were parsed strictly,
// and nothing that comes with the bytes (a descriptor) is asked for.
#include "server/acts/frame_connection.h"

#include <sys/socket.h>

#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/little_endian.h"
#include "base/status_macros.h"
#include "proto/strict_parse.h"

namespace topicwall::acts {
namespace {

constexpr size_t kLengthBytes = 4;

}  // namespace

absl::Status FrameConnection::Receive(v1::Frame* frame) {
  std::array<char, kLengthBytes> prefix;
  TW_ASSIGN_OR_RETURN(const size_t got,
                      base::ReceiveAll(socket_.get(), prefix.data(), prefix.size()));
  if (got == 0) return absl::OutOfRangeError("the peer has closed the connection");
  if (got < kLengthBytes) return absl::InvalidArgumentError("the end within a frame's length");
  const auto length = base::FromLittleEndian<uint32_t>({prefix.data(), prefix.size()});
  if (length == 0 || length > kMaxFrameBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a frame has 1 to ", kMaxFrameBytes, " bytes; got one of ", length));
  }
  received_.resize(length);
  TW_ASSIGN_OR_RETURN(const size_t body, base::ReceiveAll(socket_.get(), received_.data(), length));
  if (body < length) return absl::InvalidArgumentError("the end within a frame");
  if (!proto::ParseStrictly(received_, frame)) {
    return absl::InvalidArgumentError("bytes that are no frame");
  }
  return absl::OkStatus();
}

// Made before the lock is taken, sent under it: frames of different acts never mix, and a large one
// is not serialized while others wait.
absl::Status FrameConnection::Send(const v1::Frame& frame) {
  const size_t length = frame.ByteSizeLong();
  if (length > kMaxFrameBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a frame has at most ", kMaxFrameBytes, " bytes; got one of ", length));
  }
  std::string bytes;
  base::AppendLittleEndian(static_cast<uint32_t>(length), &bytes);
  frame.AppendToString(&bytes);
  absl::MutexLock lock(&sending_);
  if (base::SendAll(socket_.get(), bytes)) return absl::OkStatus();
  Close();  // half a frame may be out
  return absl::UnavailableError("the connection is lost");
}

// Not close(2): threads may be in recv or send with this number, which must not become another
// file's.
void FrameConnection::Close() { shutdown(socket_.get(), SHUT_RDWR); }

}  // namespace topicwall::acts
