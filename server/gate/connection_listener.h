// Takes connections for a gRPC server, and goes on taking them whatever strangers do.
//
//   TW_ASSIGN_OR_RETURN(auto listener,
//                       ConnectionListener::Listen("listen_address", "0.0.0.0:8443"));
//   listener->Start([&](int listening, int connection) { ... hand it to gRPC ... });
//   listener->Stop();
//
// gRPC's own listener (of the version that Debian 12 has) stops for ever at the first accept that
// fails, which anybody can bring about by opening more connections than the process may have
// files. This one waits and tries again; before it comes to that, `take` hangs up on newcomers
// (server/access/open_connections.h).
//
// Privacy: knows nothing of requests. Threads: one of its own between Start and Stop, which calls
// `take`; the owner's otherwise.
#ifndef TOPICWALL_SERVER_GATE_CONNECTION_LISTENER_H_
#define TOPICWALL_SERVER_GATE_CONNECTION_LISTENER_H_

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace topicwall::server {

class ConnectionListener {
 public:
  // Takes over both arguments' use, and the ownership of `connection` (non-blocking).
  using Take = std::function<void(int listening, int connection)>;

  // Binds "host:port" ("[v6]:port"), every address of the host; port 0: any free one. Who
  // connects waits for Start. UNAVAILABLE, naming the configuration's `field`, the address and why,
  // if it cannot be listened on.
  static absl::StatusOr<std::unique_ptr<ConnectionListener>> Listen(absl::string_view field,
                                                                    absl::string_view address);
  ~ConnectionListener();
  ConnectionListener(const ConnectionListener&) = delete;
  ConnectionListener& operator=(const ConnectionListener&) = delete;

  int port() const { return port_; }

  void Start(Take take);
  // Takes no more; returns when `take` is not running. Again: no change.
  void Stop();

 private:
  ConnectionListener() = default;
  absl::Status Bind(absl::string_view host, int port);
  void AcceptUntilStopped();
  void AcceptAll(int listening);
  bool WaitStopped(int milliseconds);

  std::vector<int> listening_;
  int stop_ = -1;  // an eventfd, readable once stopped
  int port_ = 0;
  Take take_;
  std::thread thread_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_CONNECTION_LISTENER_H_
