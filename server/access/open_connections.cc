// The second descriptor is only ever polled and shut down, never read: gRPC has the socket. It does
// keep the socket in existence after gRPC has closed its own; so Look closes those that have ended,
// once a second, and Add before that if the system gives their peer's address to a new one.
#include "server/access/open_connections.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace topicwall::server {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Seconds(1);
// Above those that no connection gets: room for those who come while gRPC closes what was hung up.
constexpr int kFewDescriptors = 2 * OpenConnections::kReservedDescriptors;

// The system gives descriptors lowest first, so the number says how many are in use. The limit is
// looked up each time: that of a process can be changed from outside.
bool IsReserved(int descriptor, int reserved) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
  return static_cast<rlim_t>(descriptor) + static_cast<rlim_t>(reserved) >= limit.rlim_cur;
}

// Without asking for events: an end is reported all the same.
bool IsClosed(int descriptor) {
  pollfd end{.fd = descriptor, .events = 0, .revents = 0};
  return poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

// gRPC, which has the same socket, sees its end and cleans up.
void HangUp(int descriptor) { shutdown(descriptor, SHUT_RDWR); }

std::string PeerIn(const sockaddr_in& address) {
  char text[INET_ADDRSTRLEN];
  if (inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text)) == nullptr) return "";
  return absl::StrCat("ipv4:", text, ":", ntohs(address.sin_port));
}

std::string PeerIn(const sockaddr_in6& address) {
  // A listener for both has such peers; gRPC names them by their IPv4 address.
  if (IN6_IS_ADDR_V4MAPPED(&address.sin6_addr)) {
    sockaddr_in mapped{};
    mapped.sin_port = address.sin6_port;
    std::memcpy(&mapped.sin_addr, address.sin6_addr.s6_addr + 12, sizeof(mapped.sin_addr));
    return PeerIn(mapped);
  }
  char text[INET6_ADDRSTRLEN];
  if (inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof(text)) == nullptr) return "";
  return absl::StrCat("ipv6:%5B", text, "%5D:", ntohs(address.sin6_port));
}

}  // namespace

std::string PeerOfSocket(int connection) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getpeername(connection, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  if (address.ss_family == AF_INET) return PeerIn(reinterpret_cast<const sockaddr_in&>(address));
  if (address.ss_family == AF_INET6) return PeerIn(reinterpret_cast<const sockaddr_in6&>(address));
  return "";
}

OpenConnections::OpenConnections(std::function<void()> on_crowded)
    : on_crowded_(std::move(on_crowded)), watcher_([this] { Watch(); }) {}

OpenConnections::~OpenConnections() {
  stop_.Notify();
  watcher_.join();
  absl::MutexLock lock(&mutex_);
  for (const auto& [peer, connection] : connections_) close(connection.descriptor);
}

bool OpenConnections::Add(int connection) { return AddAt(connection, base::SteadyNow()); }

bool OpenConnections::AddAt(int connection, absl::Duration steady_now) {
  const std::string peer = PeerOfSocket(connection);
  absl::MutexLock lock(&mutex_);
  const int duplicate = fcntl(connection, F_DUPFD_CLOEXEC, 0);
  const int last = std::max(connection, duplicate);
  if (duplicate < 0 || IsReserved(last, kFewDescriptors)) MakeRoom(steady_now);
  if (duplicate < 0) return false;
  if (IsReserved(last, kReservedDescriptors)) {
    close(duplicate);
    return false;
  }
  const auto [place, is_new] =
      connections_.try_emplace(peer, Connection{.descriptor = duplicate, .since = steady_now});
  if (!is_new) {  // of one that ended since the last look
    close(place->second.descriptor);
    place->second = Connection{.descriptor = duplicate, .since = steady_now};
  }
  return true;
}

// The duplicate goes at once, and gRPC's own descriptor as soon as it sees the end.
void OpenConnections::MakeRoom(absl::Duration steady_now) {
  if (!(steady_now - told_ < kBetweenAlarms)) {
    told_ = steady_now;
    on_crowded_();
  }
  auto oldest = connections_.end();
  for (auto next = connections_.begin(); next != connections_.end(); ++next) {
    if (!next->second.principal.empty()) continue;
    if (oldest == connections_.end() || next->second.since < oldest->second.since) oldest = next;
  }
  if (oldest == connections_.end()) return;
  if (steady_now - oldest->second.since < kUnclaimedWhenCrowded) return;
  HangUp(oldest->second.descriptor);
  close(oldest->second.descriptor);
  connections_.erase(oldest);
}

// At every call, so that it costs a look into a map: only the first one of a connection counts.
bool OpenConnections::Claim(absl::string_view peer, absl::string_view principal,
                            absl::Time not_after) {
  absl::MutexLock lock(&mutex_);
  const auto found = connections_.find(peer);
  if (found == connections_.end()) return true;
  Connection& connection = found->second;
  if (connection.principal == principal) return true;
  const auto own = std::count_if(connections_.begin(), connections_.end(), [&](const auto& other) {
    return other.second.principal == principal;
  });
  if (own >= kOfPrincipal) {
    HangUp(connection.descriptor);
    return false;
  }
  connection.principal = std::string(principal);
  connection.not_after = not_after;
  return true;
}

void OpenConnections::HangUpAll() {
  absl::MutexLock lock(&mutex_);
  for (const auto& [peer, connection] : connections_) HangUp(connection.descriptor);
}

void OpenConnections::Watch() {
  while (!stop_.WaitFor(kBetweenLooks)) Look(absl::Now(), base::SteadyNow());
}

void OpenConnections::Look(absl::Time now, absl::Duration steady_now) {
  absl::MutexLock lock(&mutex_);
  for (auto next = connections_.begin(); next != connections_.end();) {
    const Connection& connection = next->second;
    if (IsClosed(connection.descriptor)) {
      close(connection.descriptor);
      next = connections_.erase(next);
      continue;
    }
    const bool unclaimed =
        connection.principal.empty() && !(steady_now - connection.since < kUnclaimed);
    if (unclaimed || !(now <= connection.not_after)) HangUp(connection.descriptor);
    ++next;
  }
}

}  // namespace topicwall::server
