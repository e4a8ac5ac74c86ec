// Frames over one end of a connected pair of Unix stream sockets (socketpair(2), blocking).
//
//   FrameConnection connection(std::move(socket));
//   connection.Send(frame);                            // any thread
//   while (connection.Receive(&frame).ok()) …          // one thread
//
// On the wire: the length of the serialized v1::Frame, 4 bytes, little-endian, then the frame. The
// peer is not trusted. The length is held against kMaxFrameBytes before anything is allocated, a
// frame is parsed strictly (proto/strict_parse.h), and a descriptor that is passed along is never
// received: the kernel drops it. Nothing that a peer sends or fails to read ends the process
// (no SIGPIPE).
//
// Errors: Receive: OUT_OF_RANGE once the peer has closed between two frames; INVALID_ARGUMENT for
// what is no frame (length 0 or too long, an end within a frame, bytes that are none);
// UNAVAILABLE if the socket fails. After any the connection is of no more use: Close it. Send:
// INVALID_ARGUMENT for a frame that is too long, of which nothing is sent; UNAVAILABLE if the
// socket fails, which closes it.
//
// PUBLIC: what crosses is what the analyst sends and may read. Threads: as above; Close any, and
// it wakes the others. Cost: a copy of the frame each way.
#ifndef TOPICWALL_SERVER_ACTS_FRAME_CONNECTION_H_
#define TOPICWALL_SERVER_ACTS_FRAME_CONNECTION_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "base/file_descriptor.h"
#include "proto/vault.pb.h"

namespace topicwall::acts {

inline constexpr int64_t kMaxFrameBytes = int64_t{1} << 20;  // without the length

class FrameConnection {
 public:
  explicit FrameConnection(base::FileDescriptor socket) : socket_(std::move(socket)) {}
  FrameConnection(const FrameConnection&) = delete;
  FrameConnection& operator=(const FrameConnection&) = delete;

  // Blocks until the whole frame is there.
  absl::Status Receive(v1::Frame* frame);
  // Blocks until the kernel has taken all of it.
  absl::Status Send(const v1::Frame& frame) ABSL_LOCKS_EXCLUDED(sending_);
  // Both ways, for both processes; the descriptor stays until the object goes. Again: no change.
  void Close();

 private:
  const base::FileDescriptor socket_;
  std::string received_;  // of the receiving thread; kept for its memory
  absl::Mutex sending_;   // held while one frame is sent
};

}  // namespace topicwall::acts

#endif  // TOPICWALL_SERVER_ACTS_FRAME_CONNECTION_H_
