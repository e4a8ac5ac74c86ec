// Ends a call whose request does not get on: a stalled client must not hold its place for ever.
//
//   ReceiveDeadline deadline(context);
//   ... stream->Read(...) until everything is there ...
//   deadline.Met();
//
// If Met is not called within kReceiveTimeout the call is cancelled, and the blocked
// Read returns false. Once the request is there nothing is cancelled any more.
//
// Threads: one thread's; the alarm runs on a thread of gRPC's.
#ifndef TOPICWALL_SERVER_GATE_RECEIVE_DEADLINE_H_
#define TOPICWALL_SERVER_GATE_RECEIVE_DEADLINE_H_

#include <grpcpp/alarm.h>
#include <grpcpp/server_context.h>

#include <chrono>

#include "absl/synchronization/notification.h"

namespace topicwall::server {

// The largest matrices on a slow line; a constant of the protocol.
#ifndef TOPICWALL_KILL_POINTS
inline constexpr std::chrono::seconds kReceiveTimeout{120};
#else  // the build for fault tests, which nobody deploys
inline constexpr std::chrono::seconds kReceiveTimeout{2};
#endif

class ReceiveDeadline {
 public:
  explicit ReceiveDeadline(grpc::ServerContext* context) {
    alarm_.Set(std::chrono::system_clock::now() + kReceiveTimeout, [this, context](bool expired) {
      if (expired) context->TryCancel();
      finished_.Notify();
    });
  }
  ReceiveDeadline(const ReceiveDeadline&) = delete;
  ReceiveDeadline& operator=(const ReceiveDeadline&) = delete;
  // Waits for the alarm's callback, which uses the context.
  ~ReceiveDeadline() {
    alarm_.Cancel();
    finished_.WaitForNotification();
  }

  void Met() { alarm_.Cancel(); }

 private:
  grpc::Alarm alarm_;
  absl::Notification finished_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_RECEIVE_DEADLINE_H_
