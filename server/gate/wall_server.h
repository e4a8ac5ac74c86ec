// The gRPC server around a wall: one mutual-TLS port, until it is told to stop.
//
//   TW_ASSIGN_OR_RETURN(auto server, WallServer::Start(*wall));
//   std::cout << server->address();
//   ... SIGTERM ...
//   server->Drain();
//
// Beside the wall's service it serves gRPC health and, if the configuration says so,
// reflection; PeerAuthentication stands before all of them. Threads, memory for messages,
// connections and calls of each principal are bounded: see wall_server.cc, call_places.h and
// open_connections.h. With health_address there is an HTTP listener beside it (health_listener.h).
//
// Threads: one thread calls Start and Drain.
#ifndef TOPICWALL_SERVER_GATE_WALL_SERVER_H_
#define TOPICWALL_SERVER_GATE_WALL_SERVER_H_

#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "server/gate/connection_listener.h"
#include "server/gate/grpc_log.h"
#include "server/gate/health_listener.h"
#include "server/gate/server_credentials.h"
#include "server/gate/wall_service.h"
#include "server/vault/wall.h"

namespace topicwall::server {

class WallServer {
 public:
  // Listens, then publishes what an earlier run stored but did not publish. `wall` must
  // outlive the server. UNAVAILABLE if the address cannot be listened on;
  // INVALID_ARGUMENT for TLS files that are not usable.
  static absl::StatusOr<std::unique_ptr<WallServer>> Start(Wall& wall);
  ~WallServer();

  // "host:port" with the port that was really taken.
  const std::string& address() const { return address_; }

  // Takes no new calls; lets the running ones end, up to kDrainTimeout, then cuts
  // their connections. What is still being computed is abandoned, and begun again when it is asked
  // for; a release that is stored and waits for its instant is published by the next start.
  void Drain();

 private:
  explicit WallServer(Wall& wall) : wall_(wall), grpc_log_(&wall.log()), service_(&wall) {}

  Wall& wall_;
  const GrpcLog grpc_log_;
  WallService service_;
  std::unique_ptr<HealthListener> health_;
  std::unique_ptr<ServerCredentials> credentials_;
  std::unique_ptr<ConnectionListener> listener_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  std::thread publisher_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_WALL_SERVER_H_
