// Streams a stored release to whoever waits for it.
//
//   ReleaseStream sink(&stream);
//   return ledger.ReadRelease(principal, plan_id, iteration, sink);
//
// PUBLIC: what is stored and readable. Threads: the act's own.
#ifndef TOPICWALL_SERVER_VAULT_RELEASE_STREAM_H_
#define TOPICWALL_SERVER_VAULT_RELEASE_STREAM_H_

#include <google/protobuf/message_lite.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/wall.pb.h"
#include "server/acts/act_handler.h"
#include "server/ledger/release_sink.h"

namespace topicwall::server {

// Sends one message of an answer. CANCELLED if nobody listens any more.
inline absl::Status Send(const google::protobuf::MessageLite& message, acts::ActStream& stream) {
  if (stream.Write(message.SerializeAsString())) return absl::OkStatus();
  return absl::CancelledError("the client went away; what was paid for can be read later");
}

class ReleaseStream : public ledger::ReleaseSink {
 public:
  explicit ReleaseStream(acts::ActStream* stream) : stream_(*stream) {}

  absl::Status Header(const v1::ReleaseHeader& header) override {
    v1::ReleaseChunk chunk;
    *chunk.mutable_header() = header;
    return Send(chunk, stream_);
  }

  absl::Status Statistics(int64_t first_entry, absl::string_view values) override {
    v1::ReleaseChunk chunk;
    chunk.mutable_statistics()->set_offset(first_entry);
    chunk.mutable_statistics()->set_values(values.data(), values.size());
    return Send(chunk, stream_);
  }

 private:
  acts::ActStream& stream_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_VAULT_RELEASE_STREAM_H_
