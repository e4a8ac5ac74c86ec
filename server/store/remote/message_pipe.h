// Messages over one end of a connected pair of Unix stream sockets, one at a time each way.
//
//   MessagePipe pipe(std::move(socket));
//   TW_RETURN_IF_ERROR(pipe.Send(call));
//   TW_RETURN_IF_ERROR(pipe.Receive(kMost, &answer));
//
// On the wire: the length, 4 bytes, little-endian, then the message. The peer is not trusted:
// memory is taken as bytes come and not as the length says, and descriptors that come along are
// dropped.
//
// Errors: OUT_OF_RANGE once the peer has closed between two messages; INVALID_ARGUMENT for a
// message that is longer than it may be, or none; UNAVAILABLE if the socket fails. After any the
// pipe is of no more use. Threads: one.
#ifndef TOPICWALL_SERVER_STORE_REMOTE_MESSAGE_PIPE_H_
#define TOPICWALL_SERVER_STORE_REMOTE_MESSAGE_PIPE_H_

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/file_descriptor.h"

namespace topicwall::store {

class MessagePipe {
 public:
  // The longest is an Append with all parts of a release, which must be one transaction.
  static constexpr int64_t kMostBytes = int64_t{1} << 30;
  static constexpr int64_t kMostBytesOfARelease = kMostBytes - (int64_t{1} << 24);

  explicit MessagePipe(base::FileDescriptor socket) : socket_(std::move(socket)) {}

  absl::Status Send(const google::protobuf::MessageLite& message);
  absl::Status Receive(int64_t most_bytes, google::protobuf::MessageLite* message,
                       absl::Duration at_most = absl::InfiniteDuration());
  // Whether there is something to receive, be it the end, within that time. Threads: any.
  bool IsReadable(absl::Duration at_most) const;

 private:
  base::FileDescriptor socket_;
};

}  // namespace topicwall::store

#endif  // TOPICWALL_SERVER_STORE_REMOTE_MESSAGE_PIPE_H_
