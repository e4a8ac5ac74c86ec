// The gRPC face of the wall: the methods of proto/wall.proto.
//
// Each call finds its caller, sees to it that they have no more connections and calls than they
// may, and hands their request to the vault as an act; nothing is decided here. Every finished call
// is one line of the event log: principal and certificate, method, corpus or plan as the request
// names them, if it was read, code; but how many lines a principal can cause is bounded.
//
// All methods are streams of bytes to gRPC, which on the wire is the same: so a request is received
// once its caller has a place, and parsed here, all but small ones one at a time and in turns of
// their principals, for a message may take tens of times its bytes; what this wall knows no field
// for is dropped then. The vault's answers pass as they are.
//
// Threads: gRPC makes calls from many threads at once.
#ifndef TOPICWALL_SERVER_GATE_WALL_SERVICE_H_
#define TOPICWALL_SERVER_GATE_WALL_SERVICE_H_

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>
#include <grpcpp/support/sync_stream.h>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "proto/vault.pb.h"
#include "server/access/authorizer.h"
#include "server/access/call_places.h"
#include "server/access/open_connections.h"
#include "server/acts/act_handler.h"
#include "server/gate/peer_certificate.h"
#include "server/log/event_log.h"

namespace topicwall::server {

class WallService final : public grpc::Service {
 public:
  // All must outlive the service.
  struct Parts {
    const Authorizer& authorizer;
    PeerCertificates& certificates;
    OpenConnections& connections;
    CallPlaces& places;
    acts::ActHandler& vault;
    EventLog& log;
  };
  explicit WallService(const Parts& parts);

 private:
  using Messages = grpc::ServerReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;
  // What the log says that a call was of.
  struct Subject {
    std::string corpus = {};
    std::string plan_id = {};
    int64_t iteration = 0;
  };
  // Of a call's first message all of its act but the caller's name.
  using MakeAct = std::function<absl::Status(grpc::ByteBuffer&, v1::Act*, Subject*)>;

  template <typename Request>
  static Subject SubjectOf(const Request& request);
  // One whose request is all in one message.
  template <typename Request>
  void Add(const std::string& method, Request* (v1::Act::*field)());
  void AddCall(const std::string& method, MakeAct make);

  // Answers the caller if their certificate, connections and calls at once allow it, and logs it.
  grpc::Status Serve(grpc::ServerContext& context, const std::string& method, const MakeAct& make,
                     Messages* messages);
  absl::Status Ask(grpc::ServerContext* context, const Caller& caller, const MakeAct& make,
                   Messages* messages, Subject* subject);
  absl::Mutex& TurnOf(const std::string& principal) ABSL_LOCKS_EXCLUDED(mutex_);

  const Parts parts_;
  std::list<std::string> paths_;  // of the methods: gRPC keeps where they are
  absl::Mutex mutex_;
  std::map<std::string, absl::Mutex> turns_ ABSL_GUARDED_BY(mutex_);  // of each principal
  absl::Mutex parsing_;                                               // held after one of those
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_WALL_SERVICE_H_
