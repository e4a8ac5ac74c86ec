#include "client/python/connection.h"

#include <unistd.h>

#include <atomic>

#include "base/status_macros.h"
#include "client/wall/admission.h"
#include "client/wall/profile.h"

namespace topicwall::client {
namespace {

// Of the process that first used gRPC; 0: none did. A child inherits it, and is another process.
std::atomic<pid_t> user_of_grpc{0};

}  // namespace

absl::Status EnterGrpc() {
  pid_t user = 0;
  if (user_of_grpc.compare_exchange_strong(user, ::getpid()) || user == ::getpid()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      "this process was forked from one that was connected to a wall, and its connection does not "
      "work here. Connect in the child alone, or start it anew: multiprocessing's \"spawn\", or "
      "subprocess.");
}

absl::StatusOr<std::shared_ptr<Connection>> Connection::Open(const std::string& profile) {
  TW_ASSIGN_OR_RETURN(const std::string path, ProfilePath(profile));
  TW_ASSIGN_OR_RETURN(const v1::Profile read, ReadProfile(path));
  TW_ASSIGN_OR_RETURN(const Credentials credentials, LoadCredentials(read));
  TW_RETURN_IF_ERROR(EnterGrpc());
  TW_RETURN_IF_ERROR(CheckAdmission(read.server(), credentials));
  TW_ASSIGN_OR_RETURN(std::unique_ptr<WallPort> wall, ConnectWatched(path, {}));
  return std::shared_ptr<Connection>(new Connection(path, std::move(wall)));
}

Connection::Connection(std::string profile, std::unique_ptr<WallPort> wall)
    : profile_(std::move(profile)), wall_(std::move(wall)) {}

Connection::~Connection() {
  // To close a channel is to wait for its threads, which a forked child has not.
  if (!EnterGrpc().ok()) static_cast<void>(wall_.release());
}

absl::StatusOr<std::unique_ptr<WallPort>> Connection::Another(const WallNews& news) const {
  TW_RETURN_IF_ERROR(EnterGrpc());
  return ConnectWatched(profile_, news);
}

}  // namespace topicwall::client
