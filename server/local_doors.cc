#include "server/local_doors.h"

#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace topicwall::server {
namespace {

constexpr int kBacklog = 8;
constexpr timeval kSilence = {.tv_sec = 60, .tv_usec = 0};

struct Address {
  sockaddr_un bytes;
  socklen_t size;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
};

// A path may be longer than a socket's name. Two that had the same one would only be told that it
// is taken.
Address AddressOf(Door door, const v1::WallConfig& config) {
  // By where links lead: the same folder by another path is the same server.
  std::error_code error;
  const std::filesystem::path real =
      std::filesystem::weakly_canonical(config.data_directory(), error);
  const std::string path = error ? config.data_directory() : real.string();
  // Server and admin program are of one installation, so both make the same hash.
  const std::string name = absl::StrCat(door == Door::kJob ? "topicwall-job-" : "topicwall-",
                                        absl::Hex(std::hash<std::string>()(path)));
  Address address{};
  address.bytes.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), address.bytes.sun_path + 1);  // behind a zero: no file
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

// Of the process at the other end: who connected, or who listens.
std::optional<uid_t> Peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

bool IsUser(uid_t uid, const std::string& name) {
  const passwd* user = getpwnam(name.c_str());
  return user != nullptr && user->pw_uid == uid;
}

base::FileDescriptor NewSocket(int flags) {
  return base::FileDescriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
}

}  // namespace

absl::StatusOr<base::FileDescriptor> Listen(Door door, const v1::WallConfig& config) {
  base::FileDescriptor listener = NewSocket(SOCK_NONBLOCK);
  const Address address = AddressOf(door, config);
  if (listener.valid() && bind(listener.get(), address.get(), address.size) == 0 &&
      listen(listener.get(), kBacklog) == 0) {
    return listener;
  }
  return absl::UnavailableError("another process has the name of the server's socket");
}

base::FileDescriptor Accept(int listener, Door door, const v1::WallConfig& config) {
  base::FileDescriptor none(-1);
  base::FileDescriptor connection(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection.valid()) return none;
  const std::optional<uid_t> peer = Peer(connection.get());
  const std::string& vault = config.processes().vault();
  const bool own = peer.has_value() &&
                   (*peer == 0 || (vault.empty() ? *peer == geteuid() : IsUser(*peer, vault)));
  if (!own) return none;
  if (door == Door::kCustodian &&
      setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &kSilence, sizeof(kSilence)) != 0) {
    return none;
  }
  return connection;
}

absl::StatusOr<base::FileDescriptor> ConnectToServer(Door door, const v1::WallConfig& config) {
  base::FileDescriptor connection = NewSocket(0);
  const Address address = AddressOf(door, config);
  if (!connection.valid() || connect(connection.get(), address.get(), address.size) != 0) {
    return absl::NotFoundError("no server of this configuration runs on this machine");
  }
  // The supervisor is root, or whoever the data belongs to.
  const std::optional<uid_t> peer = Peer(connection.get());
  struct stat data {};
  const bool server =
      peer.has_value() &&
      (*peer == 0 || (stat(config.data_directory().c_str(), &data) == 0 && *peer == data.st_uid));
  if (server) return connection;
  return absl::PermissionDeniedError(
      "a process that is not the server has the name of its socket; look for it with ss -xlp, stop "
      "it, and start the server again");
}

}  // namespace topicwall::server
