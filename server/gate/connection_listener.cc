// Strangers can open more connections than there are descriptors, hang up before they are accepted,
// and come back at once. None of that may end the loop: what accept says is waited out.
#include "server/gate/connection_listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace topicwall::server {
namespace {

constexpr int kPauseMs = 100;

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};

int PortOf(int listening) {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                   : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

// -1 with errno set if it cannot be.
// SO_REUSEADDR: a server that starts again need not wait until the connections of the one before
// are forgotten.
int ListenOn(const addrinfo& address) {
  const int listening =
      socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol);
  if (listening < 0) return -1;
  const int on = 1, off = 0;
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  // [::] takes IPv4 as well, as gRPC has it.
  if (address.ai_family == AF_INET6) {
    setsockopt(listening, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  }
  if (bind(listening, address.ai_addr, address.ai_addrlen) == 0 &&
      listen(listening, SOMAXCONN) == 0) {
    return listening;
  }
  const int error = errno;
  close(listening);
  errno = error;
  return -1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ConnectionListener>> ConnectionListener::Listen(
    absl::string_view field, absl::string_view address) {
  const size_t colon = address.rfind(':');
  const auto cannot = [&](absl::string_view why) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", field, " ", address, ": ", why));
  };
  int port = 0;
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(address.substr(colon + 1), &port)) {
    return cannot("it is not host:port");
  }
  std::unique_ptr<ConnectionListener> listener(new ConnectionListener);
  listener->stop_ = eventfd(0, EFD_CLOEXEC);
  if (listener->stop_ < 0) return cannot("no descriptors left");
  const absl::string_view host =
      absl::StripSuffix(absl::StripPrefix(address.substr(0, colon), "["), "]");
  const absl::Status bound = listener->Bind(host, port);
  if (!bound.ok()) return cannot(bound.message());
  return listener;
}

// Of port 0 the first address chooses, and the others follow it: a server has one port.
absl::Status ConnectionListener::Bind(absl::string_view host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const std::string name(host);
  int error = getaddrinfo(name.c_str(), absl::StrCat(port).c_str(), &hints, &found);
  const std::unique_ptr<addrinfo, FreeAddresses> addresses(error == 0 ? found : nullptr);
  if (error != 0) return absl::UnavailableError(gai_strerror(error));
  error = 0;
  for (addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
    // All on the port that the first was given.
    if (address->ai_family == AF_INET6) {
      reinterpret_cast<sockaddr_in6*>(address->ai_addr)->sin6_port =
          htons(static_cast<uint16_t>(port));
    } else {
      reinterpret_cast<sockaddr_in*>(address->ai_addr)->sin_port =
          htons(static_cast<uint16_t>(port));
    }
    const int listening = ListenOn(*address);
    if (listening < 0) {
      error = errno;
      continue;
    }
    listening_.push_back(listening);
    port = PortOf(listening);
  }
  port_ = port;
  // An address family that the machine lacks is no matter, a port that is taken is.
  if (listening_.empty() || error == EADDRINUSE) {
    return absl::UnavailableError(error == EADDRINUSE ? "the port is taken by another process"
                                                      : std::strerror(error));
  }
  return absl::OkStatus();
}

ConnectionListener::~ConnectionListener() {
  Stop();
  for (const int listening : listening_) close(listening);
  if (stop_ >= 0) close(stop_);
}

void ConnectionListener::Start(Take take) {
  take_ = std::move(take);
  thread_ = std::thread([this] { AcceptUntilStopped(); });
}

// Joined, so that `take` is not running any more and what it uses may go.
void ConnectionListener::Stop() {
  if (!thread_.joinable()) return;
  eventfd_write(stop_, 1);
  thread_.join();
}

// Also the pause after an error: whoever stops the server does not wait for it.
bool ConnectionListener::WaitStopped(int milliseconds) {
  pollfd stop{.fd = stop_, .events = POLLIN, .revents = 0};
  return poll(&stop, 1, milliseconds) > 0;
}

void ConnectionListener::AcceptUntilStopped() {
  std::vector<pollfd> ends;
  for (const int listening : listening_) {
    ends.push_back({.fd = listening, .events = POLLIN, .revents = 0});
  }
  ends.push_back({.fd = stop_, .events = POLLIN, .revents = 0});
  while (poll(ends.data(), ends.size(), -1) >= 0 || errno == EINTR) {
    if (ends.back().revents != 0) return;
    for (size_t i = 0; i + 1 < ends.size(); ++i) {
      if (ends[i].revents != 0) AcceptAll(ends[i].fd);
    }
  }
}

// Until there are none left: one wake may be for many.
void ConnectionListener::AcceptAll(int listening) {
  for (;;) {
    const int connection = accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (connection < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      // EMFILE and its like: the connection waits until something is closed.
      if (errno != EAGAIN) WaitStopped(kPauseMs);
      return;
    }
    const int on = 1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    take_(listening, connection);
  }
}

}  // namespace topicwall::server
