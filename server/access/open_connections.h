// Which connections are open, whose they are, and which of them have to end.
//
//   OpenConnections connections([&] { log.Alarm(kAlarmConnections, ""); });
//   connections.Add(descriptor);                                   // before gRPC gets it
//   if (!connections.Claim(context->peer(), "alice", not_after)) ... // at every call
//
// gRPC (of the version that Debian 12 has) neither ends a connection with the certificate that
// opened it nor counts the connections of a principal. This does: it keeps a second descriptor of
// each socket and, looking once a second, hangs up
//   * when the certificate is over, which ends the streams on it, too;
//   * when kUnclaimed have passed and no call named an owner (a listed name makes none, others
//     can't);
// and at once on a connection by which its principal would have more than kOfPrincipal, and on all
// of them when there is a new authority. An address (of IPv6: a network of 64 bits) has at most a
// quarter of the room with connections that named no owner: beyond, each newcomer from there has
// the oldest of them hung up on. Where few descriptors are left, every newcomer has the oldest of
// the address with the most of them hung up on. So strangers who come back as fast as they like,
// with or without a certificate, push each other out, and others find room.
//
// PUBLIC: sees addresses and names. Threads: any; one of its own. Cost: two descriptors for each
// connection in all.
#ifndef TOPICWALL_SERVER_ACCESS_OPEN_CONNECTIONS_H_
#define TOPICWALL_SERVER_ACCESS_OPEN_CONNECTIONS_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/threads/steady_wait.h"
#include "server/access/begun_calls.h"

namespace topicwall::server {

class OpenConnections {
 public:
  static constexpr int kOfPrincipal = 128;
  static constexpr absl::Duration kUnclaimed = absl::Minutes(5);
  static constexpr absl::Duration kBetweenAlarms = absl::Hours(1);
  // Below the process's limit: those who are connected, and the server's own files, keep some to
  // work with.
  static constexpr int kReservedDescriptors = 32;
  // A process with fewer lets next to nobody in: beside those reserved, its own files, and a
  // handful of connections before newcomers push each other out.
  static constexpr int kFewestDescriptors = 3 * kReservedDescriptors;

  // FAILED_PRECONDITION if the process may have fewer than that. To be asked before it listens.
  static absl::Status RequireDescriptors();

  // `on_crowded` is called when a newcomer finds few descriptors left, at most once an hour.
  explicit OpenConnections(std::function<void()> on_crowded);
  ~OpenConnections();
  OpenConnections(const OpenConnections&) = delete;
  OpenConnections& operator=(const OpenConnections&) = delete;

  // False for want of descriptors that are not reserved, for itself and its duplicate: hang up.
  bool Add(int connection);
  // `peer` is what grpc::ServerContext::peer() says. False if the principal has too many or is
  // barred; the connection is then hung up. A peer that was not added is nobody's business: true.
  bool Claim(absl::string_view peer, absl::string_view principal, absl::Time not_after);
  // A call of that principal has got its thread, and gives it back. True if they are too many at
  // once by it (begun_calls.h): all connections of the principal are then hung up, and new ones for
  // a while. `principal` must be one of the configuration's, `peer` as in Claim.
  bool BeginCall(absl::string_view peer, absl::string_view principal);
  void EndCall(absl::string_view principal);
  // Whether new connections of the principal are refused just now.
  bool IsBarred(absl::string_view principal);
  // Those that are open now. Who may come back does so.
  void HangUpAll();

 private:
  friend struct OpenConnectionsTestPeer;

  struct Connection {
    int descriptor;              // a duplicate, ours to close
    absl::Duration since;        // by SteadyNow
    std::string principal = {};  // empty: unclaimed
    absl::Time not_after = absl::InfiniteFuture();
  };

  using Connections = std::map<std::string, Connection, std::less<>>;  // by peer

  bool AddAt(int connection, absl::Duration steady_now);
  void MakeRoom(const std::string& address, bool crowded, absl::Duration steady_now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Connections::iterator Forget(Connections::iterator connection)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetUnclaimed(Connections::const_iterator connection)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Watch();
  void Look(absl::Time now, absl::Duration steady_now);

  const std::function<void()> on_crowded_;
  absl::Mutex mutex_;
  absl::Duration told_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();  // by SteadyNow
  Connections connections_ ABSL_GUARDED_BY(mutex_);
  // Those without a principal, of each address that has any, oldest first: since when, and the
  // peer.
  std::map<std::string, std::set<std::pair<absl::Duration, std::string>>> unclaimed_
      ABSL_GUARDED_BY(mutex_);
  BegunCalls begun_ ABSL_GUARDED_BY(mutex_);
  base::SteadyNotification stop_;
  std::thread watcher_;
};

// The peer of a connected socket in gRPC's words: "ipv4:127.0.0.1:4711", "ipv6:%5B::1%5D:4711".
// Empty if it has none.
std::string PeerOfSocket(int connection);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_ACCESS_OPEN_CONNECTIONS_H_
