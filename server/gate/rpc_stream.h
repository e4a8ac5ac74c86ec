// The messages of one RPC as an act's stream: bytes on both sides.
//
//   RpcStream messages(&context, stream);
//   messages.Take(&request);
//   ... messages.RequestIsWhole() unless more is to come ...
//   return vault.Handle(act, messages);
//
// What is to come must be there within kReceiveTimeout of the beginning. A message is received when
// it is asked for, and before that held up on its way. Threads: the call's own; IsCancelled any.
#ifndef TOPICWALL_SERVER_GATE_RPC_STREAM_H_
#define TOPICWALL_SERVER_GATE_RPC_STREAM_H_

#include <grpcpp/grpcpp.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/acts/act_handler.h"
#include "server/gate/receive_deadline.h"

namespace topicwall::server {

class RpcStream final : public acts::ActStream {
 public:
  using Messages = grpc::ServerReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

  RpcStream(grpc::ServerContext* context, Messages* messages)
      : context_(*context), messages_(*messages), deadline_(context) {}

  // The next message, as gRPC has it; false once there are no more.
  bool Take(grpc::ByteBuffer* message) {
    if (messages_.Read(message)) return true;
    RequestIsWhole();
    return false;
  }
  bool Read(std::string* message) override {
    grpc::ByteBuffer buffer;
    std::vector<grpc::Slice> slices;
    if (!Take(&buffer) || !buffer.Dump(&slices).ok()) return false;
    message->clear();
    message->reserve(buffer.Length());
    for (const grpc::Slice& slice : slices) {
      message->append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
    return true;
  }
  bool Write(absl::string_view message) override {
    const grpc::Slice slice(message.data(), message.size());
    return messages_.Write(grpc::ByteBuffer(&slice, 1));
  }
  bool IsCancelled() const override { return context_.IsCancelled(); }

  void RequestIsWhole() { deadline_.Met(); }

 private:
  const grpc::ServerContext& context_;
  Messages& messages_;
  ReceiveDeadline deadline_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_RPC_STREAM_H_
