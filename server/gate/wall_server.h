// The gate: the gRPC server before a vault. One mutual-TLS port, until it is told to stop.
//
//   TW_ASSIGN_OR_RETURN(auto server, WallServer::Start(config, vault, log));
//   std::cout << server->address();
//   ... SIGTERM ...
//   server->Drain();
//
// What was asked before is answered from memory while the chains stand still (public_answers.h).
// Beside the wall's service it serves gRPC health, whose calls hold no thread; PeerVerifier
// stands before both, in the handshake. Threads, memory for messages, connections and calls of each
// principal are bounded: see wall_server.cc, call_places.h and open_connections.h. With
// health_address there is an HTTP listener beside it (health_listener.h). Without its TLS files it
// ends the process (server_credentials.h).
//
// Threads: one thread calls Start and Drain.
#ifndef TOPICWALL_SERVER_GATE_WALL_SERVER_H_
#define TOPICWALL_SERVER_GATE_WALL_SERVER_H_

#include <grpcpp/server.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "proto/wall_config.pb.h"
#include "server/access/authorizer.h"
#include "server/access/call_places.h"
#include "server/access/open_connections.h"
#include "server/acts/act_handler.h"
#include "server/gate/connection_listener.h"
#include "server/gate/grpc_log.h"
#include "server/gate/health_listener.h"
#include "server/gate/peer_certificate.h"
#include "server/gate/public_answers.h"
#include "server/gate/server_credentials.h"
#include "server/gate/wall_service.h"
#include "server/log/event_log.h"

namespace topicwall::server {

class WallServer {
 public:
  // Asks the vault for its limits, then listens. `vault` and `log` must outlive the server.
  // UNAVAILABLE if the address cannot be listened on or the vault does not answer;
  // INVALID_ARGUMENT for TLS files that are not usable; FAILED_PRECONDITION for a limit on open
  // files under which hardly anybody could connect.
  static absl::StatusOr<std::unique_ptr<WallServer>> Start(const v1::WallConfig& config,
                                                           acts::ActHandler& vault, EventLog& log);
  ~WallServer();

  // "host:port" with the port that was really taken.
  const std::string& address() const { return address_; }

  // Takes no new calls and drains the vault; lets the running calls end, up to kDrainTimeout, then
  // interrupts the vault and cuts their connections. What is still being computed is abandoned, and
  // begun again when it is asked for; a release that is stored and waits for its instant is
  // published by the next start.
  void Drain();

 private:
  WallServer(const v1::WallConfig& config, acts::ActHandler& vault, EventLog& log);
  absl::Status Listen(int64_t largest_message_bytes);

  const v1::WallConfig config_;
  PublicAnswers vault_;
  EventLog& log_;
  const GrpcLog grpc_log_;
  const Authorizer authorizer_;
  PeerCertificates certificates_;
  OpenConnections connections_;
  CallPlaces places_;
  WallService service_;
  std::unique_ptr<HealthListener> health_;
  std::unique_ptr<ServerCredentials> credentials_;
  std::unique_ptr<ConnectionListener> listener_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_WALL_SERVER_H_
