// Whether the server is up, for whoever restarts or watches it: plain HTTP, and nothing else.
//
//   TW_ASSIGN_OR_RETURN(auto health, HealthListener::Start("127.0.0.1:8080"));
//   health->SetServing(false);          // draining
//
// GET /health is 200 "ok" while it serves and 503 "draining" then; everything else is 404, and a
// request whose first line is no such line within kMostBytes and kPatience is hung up on. Answers
// are two constants: nobody learns more here than whether there is a server, so nobody is asked
// who they are. Let the address be one that only your own machines reach.
//
// PUBLIC: knows nothing of corpora, principals or requests. Threads: two of its own. At most
// kConnections at once: whoever comes then has the oldest hung up on.
#ifndef TOPICWALL_SERVER_GATE_HEALTH_LISTENER_H_
#define TOPICWALL_SERVER_GATE_HEALTH_LISTENER_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/gate/connection_listener.h"

namespace topicwall::server {

class HealthListener {
 public:
  static constexpr int kConnections = 16;
  static constexpr size_t kMostBytes = 1024;  // of a request, as far as it is read
  static constexpr absl::Duration kPatience = absl::Seconds(5);

  // "host:port"; port 0: any free one. UNAVAILABLE if it cannot be listened on.
  static absl::StatusOr<std::unique_ptr<HealthListener>> Start(absl::string_view address);
  ~HealthListener();
  HealthListener(const HealthListener&) = delete;
  HealthListener& operator=(const HealthListener&) = delete;

  int port() const { return listener_->port(); }
  // Until then: not serving.
  void SetServing(bool serving) { serving_ = serving; }

 private:
  struct Visitor {
    int descriptor;
    absl::Duration until;  // by SteadyNow
    std::string request = {};
  };

  HealthListener() = default;
  void Take(int connection);
  void Serve();
  // False once there is nothing more to say to them.
  bool Hear(Visitor& visitor);

  std::atomic<bool> serving_ = false;
  std::unique_ptr<ConnectionListener> listener_;
  int wake_ = -1;  // an eventfd: there is a new visitor, or an end
  absl::Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<Visitor> visitors_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_GATE_HEALTH_LISTENER_H_
