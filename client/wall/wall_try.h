// One try of a call over gRPC, and the wait before the next, for whoever may be told to stop
// meanwhile (WallConnection).
//
//   TryContext context(params, absl::Minutes(1));
//   stub->GetPlan(context.get(), request, &response);     // params.on_call may end it
//   absl::Status status = WaitForTry(params, delay, error);   // CANCELLED: stop
//
// Threads: one; what on_call is given may be called from any while the context lives. `params` must
// outlive it.
#ifndef TOPICWALL_CLIENT_WALL_WALL_TRY_H_
#define TOPICWALL_CLIENT_WALL_WALL_TRY_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/wall/wall_client.h"

namespace topicwall::client {

class TryContext {
 public:
  TryContext(const WallConnection& params, absl::Duration deadline);
  ~TryContext();
  TryContext(const TryContext&) = delete;
  TryContext& operator=(const TryContext&) = delete;

  grpc::ClientContext* get() { return &context_; }

 private:
  const WallConnection& params_;
  grpc::ClientContext context_;
};

// An answer without the fields that this program does not know. Parts of it are kept in files (a
// receipt, a signed head, an entry of a chain), and those are read strictly (proto/strict_parse.h):
// with one field that nobody signed, a newer wall or somebody in between would spoil such a file
// for good. What is hashed or signed stands in fields of bytes, and those stay as they came.
template <typename Answer>
Answer& Known(Answer& answer) {
  answer.DiscardUnknownFields();
  return answer;
}

// What a call ended with, and what of the profile to look at then. CANCELLED is the word of a
// server that goes down with calls under way, and of whoever ends them here: as UNAVAILABLE it is
// waited for, and the same call is sent again, unless it is to stop.
absl::Status ToldBy(const grpc::Status& answer);

// `error`: why there is another try.
absl::Status WaitForTry(const WallConnection& params, absl::Duration delay,
                        const absl::Status& error);

}  // namespace topicwall::client

#endif  // TOPICWALL_CLIENT_WALL_WALL_TRY_H_
