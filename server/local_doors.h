// Where programs on the same machine reach a server that runs: Unix sockets without a file.
//
//   TW_ASSIGN_OR_RETURN(const FileDescriptor listener, Listen(Door::kCustodian, config));
//   FileDescriptor connection = Accept(listener.get(), Door::kCustodian, config);     // the server
//   TW_ASSIGN_OR_RETURN(FileDescriptor socket, ConnectToServer(Door::kCustodian, config));
//
// A door's name (unix(7), abstract) follows from data_directory, so it is found by whoever has the
// same configuration on the same machine. Anybody may connect, and anybody may take the name before
// the server does; so each side asks the kernel who the other is, and hangs up unless it is root or
// the user that the documents belong to: processes.vault, or whom the server was started as.
//
// PUBLIC. Threads: any.
#ifndef TOPICWALL_SERVER_LOCAL_DOORS_H_
#define TOPICWALL_SERVER_LOCAL_DOORS_H_

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"
#include "proto/wall_config.pb.h"

namespace topicwall::server {

enum class Door {
  kCustodian,  // of topicwall-admin
  kJob,        // of rank 0 of topicwall-worker
};

// Nonblocking. UNAVAILABLE if another process has the name.
absl::StatusOr<base::FileDescriptor> Listen(Door door, const v1::WallConfig& config);

// One connection; not valid if none waits or it is not from whom it must be. Whoever receives from
// the custodian's and is sent nothing for a minute is told so: a program that stands still keeps
// out no other.
base::FileDescriptor Accept(int listener, Door door, const v1::WallConfig& config);

// NOT_FOUND if no server listens; PERMISSION_DENIED if whoever does is not it.
absl::StatusOr<base::FileDescriptor> ConnectToServer(Door door, const v1::WallConfig& config);

}  // namespace topicwall::server

#endif  // TOPICWALL_SERVER_LOCAL_DOORS_H_
