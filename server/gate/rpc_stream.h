// The messages of one RPC as an act's stream: gRPC's objects on one side, bytes on the other.
//
//   UnaryStream stream(*context, reply);
//   return vault.Handle(act, stream);
//
// A message of the vault's that cannot be parsed ends the answer, as if nobody listened.
// Threads: the call's own; IsCancelled any.
#ifndef TOPICWALL_SERVER_GATE_RPC_STREAM_H_
#define TOPICWALL_SERVER_GATE_RPC_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/strings/string_view.h"
#include "proto/wall.pb.h"
#include "server/acts/act_handler.h"
#include "server/gate/receive_deadline.h"

namespace topicwall::server {

class RpcStream : public acts::ActStream {
 public:
  explicit RpcStream(const grpc::ServerContext& context) : context_(context) {}
  bool Read(std::string*) override { return false; }
  bool IsCancelled() const override { return context_.IsCancelled(); }

 protected:
  template <typename Message>
  static bool Parse(absl::string_view bytes, Message* message) {
    return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  }

 private:
  const grpc::ServerContext& context_;
};

// One request, one reply.
template <typename Reply>
class UnaryStream final : public RpcStream {
 public:
  UnaryStream(const grpc::ServerContext& context, Reply* reply)
      : RpcStream(context), reply_(reply) {}
  bool Write(absl::string_view message) override { return Parse(message, reply_); }

 private:
  Reply* reply_;
};

// One request, a stream of replies to anything that has Write.
template <typename Reply, typename Writer>
class ReplyStream : public RpcStream {
 public:
  ReplyStream(const grpc::ServerContext& context, Writer* writer)
      : RpcStream(context), writer_(*writer) {}
  bool Write(absl::string_view message) override {
    return Parse(message, &reply_) && writer_.Write(reply_);
  }

 protected:
  Writer& writer() { return writer_; }

 private:
  Writer& writer_;
  Reply reply_;
};
template <typename Reply>
ReplyStream(const grpc::ServerContext& context, grpc::ServerWriter<Reply>* writer)
    -> ReplyStream<Reply, grpc::ServerWriter<Reply>>;

using RunReleaseStream = grpc::ServerReaderWriter<v1::ReleaseChunk, v1::RunReleaseRequest>;

// A header, parameters within kReceiveTimeout, and a release.
class ReleaseCallStream final : public ReplyStream<v1::ReleaseChunk, RunReleaseStream> {
 public:
  ReleaseCallStream(grpc::ServerContext* context, RunReleaseStream* stream)
      : ReplyStream(*context, stream), deadline_(context) {}

  bool ReadPart(v1::RunReleaseRequest* part) {
    if (writer().Read(part)) return true;
    deadline_.Met();
    return false;
  }
  bool Read(std::string* message) override {
    return ReadPart(&part_) && part_.SerializeToString(message);
  }

 private:
  ReceiveDeadline deadline_;
  v1::RunReleaseRequest part_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_RPC_STREAM_H_
