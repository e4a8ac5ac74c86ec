// Streams a stored release to the client that waits for it.
//
//   ReleaseStream<grpc::ServerWriter<v1::ReleaseChunk>> sink(writer);
//   return ledger.ReadRelease(principal, plan_id, iteration, sink);
//
// PUBLIC: what is stored and readable. Threads: the call's own.
#ifndef TOPICWALL_SERVER_GATE_RELEASE_STREAM_H_
#define TOPICWALL_SERVER_GATE_RELEASE_STREAM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/wall.grpc.pb.h"
#include "server/ledger/release_sink.h"

namespace topicwall::server {

inline absl::Status ClientWentAway() {
  return absl::CancelledError("the client went away; what was paid for can be read later");
}

// `Stream` is the writer or the reader-writer of a call.
template <typename Stream>
class ReleaseStream : public ledger::ReleaseSink {
 public:
  explicit ReleaseStream(Stream* stream) : stream_(stream) {}

  absl::Status Header(const v1::ReleaseHeader& header) override {
    v1::ReleaseChunk chunk;
    *chunk.mutable_header() = header;
    return stream_->Write(chunk) ? absl::OkStatus() : ClientWentAway();
  }

  absl::Status Statistics(int64_t first_entry, absl::string_view values) override {
    v1::ReleaseChunk chunk;
    chunk.mutable_statistics()->set_offset(first_entry);
    chunk.mutable_statistics()->set_values(values.data(), values.size());
    return stream_->Write(chunk) ? absl::OkStatus() : ClientWentAway();
  }

 private:
  Stream* stream_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_RELEASE_STREAM_H_
