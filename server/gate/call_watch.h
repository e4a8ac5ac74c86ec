// Sees every call from when it is taken up until gRPC has done with it, and tells the keeper of
// connections whose it is.
//
//   builder.experimental().SetInterceptorCreators(CallWatch({authorizer, ...}));
//
// A method of the service sees neither: it has returned while the call still waits, with its
// thread, for the connection to take the answer; and health's calls, and those of unknown methods,
// come to none. Who has too many calls loses their connections for a while
// (server/access/begun_calls.h), which is a line of the log, in bounds.
//
// PUBLIC. Threads: gRPC's. Cost: a look at the certificate, which is remembered, at every call.
#ifndef TOPICWALL_SERVER_GATE_CALL_WATCH_H_
#define TOPICWALL_SERVER_GATE_CALL_WATCH_H_

#include <grpcpp/support/server_interceptor.h>

#include <memory>
#include <vector>

#include "server/access/authorizer.h"
#include "server/access/open_connections.h"
#include "server/gate/peer_certificate.h"
#include "server/log/event_log.h"

namespace topicwall::server {

// All must outlive the server.
struct CallWatchParts {
  const Authorizer& authorizer;
  PeerCertificates& certificates;
  OpenConnections& connections;
  EventLog& log;
};

// What a server's builder takes, once.
std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> CallWatch(
    const CallWatchParts& parts);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_CALL_WATCH_H_
