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
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

namespace topicwall::server {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Seconds(1);
// Above those that no connection gets: room for those who come while gRPC closes what was hung up.
constexpr int kFewDescriptors = 2 * OpenConnections::kReservedDescriptors;

// How many connections without an owner one address may have: a quarter of the room, two
// descriptors a connection.
size_t MostOfAddress() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<size_t>::max();
  }
  constexpr rlim_t kReserved{OpenConnections::kReservedDescriptors};
  const rlim_t room = limit.rlim_cur > kReserved ? limit.rlim_cur - kReserved : 0;
  return std::max<size_t>(1, room / 8);
}

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

// Of a peer as PeerOfSocket has it, who it is: of IPv6 the network of 64 bits, any address of which
// is its host's to take.
std::string AddressOf(absl::string_view peer) {
  const absl::string_view address = peer.substr(0, peer.rfind(':'));
  absl::string_view text = address;
  in6_addr bytes;
  if (!absl::ConsumePrefix(&text, "ipv6:%5B") || !absl::ConsumeSuffix(&text, "%5D") ||
      inet_pton(AF_INET6, std::string(text).c_str(), &bytes) != 1) {
    return std::string(address);
  }
  constexpr size_t kNetworkBytes = 8;
  return absl::StrCat(
      "ipv6:", absl::string_view(reinterpret_cast<const char*>(bytes.s6_addr), kNetworkBytes));
}

// gRPC, which has the same socket, sees its end and cleans up. What has come and was not read yet
// would be read first, which may be thousands of calls: it is thrown away. (MSG_TRUNC: without a
// copy.)
void HangUp(int descriptor) {
  constexpr size_t kAtATime = size_t{1} << 24;
  shutdown(descriptor, SHUT_RDWR);
  while (recv(descriptor, nullptr, kAtATime, MSG_TRUNC | MSG_DONTWAIT) > 0) {
  }
}

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

absl::Status OpenConnections::RequireDescriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= rlim_t{kFewestDescriptors}) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat("the limit on open files must be at least ", kFewestDescriptors,
                   ", or hardly anybody could connect; it is ", limit.rlim_cur,
                   ". Raise LimitNOFILE of the server's unit (in a shell, ulimit -n)."));
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
  // Of one that ended since the last look, if there is any.
  if (const auto old = connections_.find(peer); old != connections_.end()) Forget(old);
  const int duplicate = fcntl(connection, F_DUPFD_CLOEXEC, 0);
  const int last = std::max(connection, duplicate);
  const std::string address = AddressOf(peer);
  MakeRoom(address, duplicate < 0 || IsReserved(last, kFewDescriptors), steady_now);
  if (duplicate < 0) return false;
  if (IsReserved(last, kReservedDescriptors)) {
    close(duplicate);
    return false;
  }
  connections_.emplace(peer, Connection{.descriptor = duplicate, .since = steady_now});
  unclaimed_[address].emplace(steady_now, peer);
  return true;
}

// The duplicate goes at once, and gRPC's own descriptor as soon as it sees the end.
void OpenConnections::MakeRoom(const std::string& address, bool crowded,
                               absl::Duration steady_now) {
  if (crowded && !(steady_now - told_ < kBetweenAlarms)) {
    told_ = steady_now;
    on_crowded_();
  }
  auto from = unclaimed_.find(address);
  if (from == unclaimed_.end() || from->second.size() < MostOfAddress()) {
    if (!crowded) return;
    // Of those that have as many, whose oldest is the oldest.
    from = std::min_element(unclaimed_.begin(), unclaimed_.end(),
                            [](const auto& one, const auto& other) {
                              if (one.second.size() != other.second.size()) {
                                return one.second.size() > other.second.size();
                              }
                              return *one.second.begin() < *other.second.begin();
                            });
  }
  if (from == unclaimed_.end()) return;
  const auto oldest = connections_.find(from->second.begin()->second);
  HangUp(oldest->second.descriptor);
  Forget(oldest);
}

OpenConnections::Connections::iterator OpenConnections::Forget(Connections::iterator connection) {
  if (connection->second.principal.empty()) ForgetUnclaimed(connection);
  close(connection->second.descriptor);
  return connections_.erase(connection);
}

void OpenConnections::ForgetUnclaimed(Connections::const_iterator connection) {
  const auto address = unclaimed_.find(AddressOf(connection->first));
  address->second.erase({connection->second.since, connection->first});
  if (address->second.empty()) unclaimed_.erase(address);
}

// At every call, so that it costs a look into a map: only the first one of a connection counts.
bool OpenConnections::Claim(absl::string_view peer, absl::string_view principal,
                            absl::Time not_after) {
  const absl::Duration steady_now = base::SteadyNow();
  absl::MutexLock lock(&mutex_);
  const auto found = connections_.find(peer);
  if (found == connections_.end()) return true;
  Connection& connection = found->second;
  if (begun_.IsBarred(principal, steady_now)) {
    HangUp(connection.descriptor);
    return false;
  }
  if (connection.principal == principal) return true;
  const auto own = std::count_if(connections_.begin(), connections_.end(), [&](const auto& other) {
    return other.second.principal == principal;
  });
  if (own >= kOfPrincipal) {
    HangUp(connection.descriptor);
    return false;
  }
  if (connection.principal.empty()) ForgetUnclaimed(found);
  connection.principal = std::string(principal);
  connection.not_after = not_after;
  return true;
}

// This connection need not have come to Claim: there are calls of unknown methods, too.
bool OpenConnections::BeginCall(absl::string_view peer, absl::string_view principal) {
  const absl::Duration steady_now = base::SteadyNow();
  absl::MutexLock lock(&mutex_);
  const bool too_many = begun_.Begin(principal, steady_now);
  if (!begun_.IsBarred(principal, steady_now)) return false;
  const auto found = connections_.find(peer);
  if (found != connections_.end()) HangUp(found->second.descriptor);
  if (!too_many) return false;
  for (const auto& [other, connection] : connections_) {
    if (connection.principal == principal) HangUp(connection.descriptor);
  }
  return true;
}

void OpenConnections::EndCall(absl::string_view principal) {
  absl::MutexLock lock(&mutex_);
  begun_.End(principal);
}

bool OpenConnections::IsBarred(absl::string_view principal) {
  const absl::Duration steady_now = base::SteadyNow();
  absl::MutexLock lock(&mutex_);
  return begun_.IsBarred(principal, steady_now);
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
      next = Forget(next);
      continue;
    }
    const bool unclaimed =
        connection.principal.empty() && !(steady_now - connection.since < kUnclaimed);
    if (unclaimed || !(now <= connection.not_after)) HangUp(connection.descriptor);
    ++next;
  }
}

}  // namespace topicwall::server
