// Streams a stored release to whoever waits for it.
//
//   ReleaseStream sink(&stream);
//   return ledger.ReadRelease(principal, plan_id, iteration, sink);
//
// PUBLIC: what is stored and readable. Threads: the act's own.
#ifndef TOPICWALL_SERVER_VAULT_RELEASE_STREAM_H_
#define TOPICWALL_SERVER_VAULT_RELEASE_STREAM_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "proto/wall.pb.h"
#include "server/acts/act_handler.h"
#include "server/ledger/release_sink.h"

namespace topicwall::server {

// Sends one message of an answer. CANCELLED if nobody listens any more. However long that takes,
// only its bytes are kept, which the stream counts.
template <typename Message>
absl::Status Send(Message message, acts::ActStream& stream) {
  const std::string bytes = std::exchange(message, {}).SerializeAsString();
  if (stream.Write(bytes)) return absl::OkStatus();
  return absl::CancelledError("the client went away; what was paid for can be read later");
}

class ReleaseStream : public ledger::ReleaseSink {
 public:
  explicit ReleaseStream(acts::ActStream* stream) : stream_(*stream) {}

  absl::Status Header(v1::ReleaseHeader header) override {
    v1::ReleaseChunk chunk;
    *chunk.mutable_header() = std::move(header);
    return Send(std::move(chunk), stream_);
  }

  absl::Status Statistics(int64_t first_entry, std::string values) override {
    v1::ReleaseChunk chunk;
    chunk.mutable_statistics()->set_offset(first_entry);
    chunk.mutable_statistics()->set_values(std::move(values));
    return Send(std::move(chunk), stream_);
  }

 private:
  acts::ActStream& stream_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_RELEASE_STREAM_H_
